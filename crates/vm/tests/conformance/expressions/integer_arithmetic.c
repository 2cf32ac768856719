#include <stdio.h>

int main(void) {
    int a = 17, b = 5, c = -17;
    printf("%d %d %d %d %d\n", a + b, a - b, a * b, a / b, a % b);
    printf("%d %d %d %d\n", c / b, c % b, a / -b, a % -b);
    printf("%d %d\n", c / -b, c % -b);
    unsigned u = 17, v = 5;
    printf("%u %u %u\n", u / v, u % v, v - u);
    long long big = 123456789012345LL;
    printf("%lld %lld %lld\n", big * 7, big / 1000, big % 1000);
    printf("%lld\n", -big / 1000 * 1000 + -big % 1000);
    return 0;
}
