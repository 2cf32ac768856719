#include <stdio.h>

int x = 1;
static int f(void) {
    return x;
}

int main(void) {
    printf("%d\n", x);
    int x = x = 2;
    printf("%d %d\n", x, f());
    {
        extern int x;
        printf("%d\n", x);
        x = 5;
    }
    printf("%d %d\n", x, f());
    struct s {
        int a;
    };
    {
        struct s {
            int a, b;
        };
        printf("%zu ", sizeof(struct s));
    }
    printf("%zu\n", sizeof(struct s));
    for (int x = 10; x < 11; x++) {
        int y = x;
        int x = y + 1;
        printf("%d\n", x);
    }
    int s = 3;
    struct s t = {s};
    goto s;
s:
    printf("%d\n", t.a);
    return 0;
}
