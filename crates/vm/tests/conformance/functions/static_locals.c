#include <stdio.h>

static int next(void) {
    static int n;
    return ++n;
}

static int *slot(int which) {
    static int slots[3] = {10, 20, 30};
    return &slots[which];
}

static int fibonacci(int n) {
    static int known[30];
    if (n < 2)
        return n;
    if (!known[n])
        known[n] = fibonacci(n - 1) + fibonacci(n - 2);
    return known[n];
}

int main(void) {
    next();
    next();
    printf("%d\n", next());
    *slot(1) += 5;
    printf("%d %d\n", *slot(1), *slot(2));
    printf("%d\n", fibonacci(29));
    return 0;
}
