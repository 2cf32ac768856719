#include <stdio.h>

int main(void) {
    int n = -7;
    unsigned u = 3;
    printf("%d\n", n % (int)u);
    printf("%u\n", n % u);
    printf("%u\n", n / u);
    long l = n;
    printf("%ld\n", l % (long)u);
    printf("%ld\n", l % u);
    short s = -7;
    unsigned char c = 3;
    printf("%d %d\n", s % c, s / c);
    size_t z = sizeof(int);
    printf("%d\n", -1 > (int)z);
    printf("%d\n", (size_t)-1 > z);
    return 0;
}
