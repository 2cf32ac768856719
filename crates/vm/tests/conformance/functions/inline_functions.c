#include <stdio.h>

static inline int square(int n) {
    return n * n;
}

static inline __attribute__((always_inline)) int cube(int n) {
    return n * square(n);
}

extern inline int twice(int n);
inline int twice(int n) {
    return 2 * n;
}

static __attribute__((noinline)) int plain(int n) {
    return twice(n) + 1;
}

int main(void) {
    printf("%d %d %d %d\n", square(5), cube(3), twice(7), plain(7));
    int (*f)(int) = square;
    printf("%d\n", f(9));
    return 0;
}
