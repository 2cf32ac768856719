#include <limits.h>
#include <stdio.h>

int main(void) {
    int i;
    printf("%d ", __builtin_add_overflow(INT_MAX, 1, &i));
    printf("%d\n", i);
    printf("%d ", __builtin_sub_overflow(-5, 7, &i));
    printf("%d\n", i);
    printf("%d ", __builtin_mul_overflow(1 << 20, 1 << 20, &i));
    printf("%d\n", i);
    unsigned u;
    printf("%d ", __builtin_sub_overflow(3u, 5u, &u));
    printf("%u\n", u);
    unsigned char c;
    printf("%d ", __builtin_add_overflow(200, 100, &c));
    printf("%d\n", c);
    long l;
    printf("%d ", __builtin_mul_overflow(LONG_MAX, 2L, &l));
    printf("%ld\n", l);
    return 0;
}
