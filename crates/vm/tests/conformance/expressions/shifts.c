#include <stdio.h>

int main(void) {
    for (int i = 0; i < 32; i += 5)
        printf("%x %x\n", 1u << i, 0x80000000u >> i);
    for (int i = 0; i < 64; i += 9)
        printf("%llx %llx\n", 1ull << i, 0x8000000000000000ull >> i);
    int n = -1000;
    printf("%d %d %d\n", n >> 1, n >> 4, n >> 31);
    long long m = -1000000000000LL;
    printf("%lld %lld\n", m >> 10, m >> 63);
    unsigned char c = 200;
    printf("%d %d\n", c << 4, c >> 3);
    char count = 3;
    printf("%d\n", 5 << count);
    return 0;
}
