#include <stdio.h>

static int depth;

static int trace(int n) {
    printf("%*s%d\n", depth, "", n);
    return n;
}

static int add(int a, int b) {
    return a + b;
}

static int twice(int (*f)(int), int n) {
    depth += 2;
    int result = f(f(n));
    depth -= 2;
    return result;
}

static int increment(int n) {
    return trace(n + 1);
}

int main(void) {
    printf("%d\n", add(add(1, 2), add(add(3, 4), 5)));
    printf("%d\n", twice(increment, twice(increment, 0)));
    return 0;
}
