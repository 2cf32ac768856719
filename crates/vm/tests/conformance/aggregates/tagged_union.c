#include <stdio.h>

enum kind { NUMBER, SUM, PRODUCT };

struct expression {
    enum kind kind;
    union {
        int number;
        struct {
            const struct expression *left, *right;
        };
    };
};

static int evaluate(const struct expression *e) {
    switch (e->kind) {
    case NUMBER:
        return e->number;
    case SUM:
        return evaluate(e->left) + evaluate(e->right);
    case PRODUCT:
        return evaluate(e->left) * evaluate(e->right);
    }
    return 0;
}

int main(void) {
    struct expression two = {NUMBER, .number = 2};
    struct expression three = {.kind = NUMBER, .number = 3};
    struct expression sum = {.kind = SUM, .left = &two, .right = &three};
    struct expression product = {PRODUCT, .left = &sum, .right = &sum};
    printf("%d %d\n", evaluate(&sum), evaluate(&product));
    product.right = &three;
    printf("%d\n", evaluate(&product));
    return 0;
}
