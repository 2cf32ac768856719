#include <stdio.h>

typedef int (*operation)(int, int);

static int add(int a, int b) {
    return a + b;
}

static int subtract(int a, int b) {
    return a - b;
}

static int apply(operation f, int a, int b) {
    return f(a, b);
}

static operation choose(char c) {
    return c == '+' ? add : subtract;
}

static int (*returns(int which))(int, int) {
    return which ? add : subtract;
}

int main(void) {
    operation table[] = {add, &subtract};
    printf("%d %d\n", table[0](5, 3), (*table[1])(5, 3));
    printf("%d %d\n", apply(add, 1, 2), choose('-')(1, 2));
    printf("%d %d\n", returns(1)(2, 2), (**returns)(0)(2, 2));
    operation f = NULL;
    printf("%d %d\n", f == NULL, choose('+') == add);
    struct {
        operation op;
        const char *name;
    } s = {subtract, "subtract"};
    printf("%s %d\n", s.name, s.op(9, 4));
    return 0;
}
