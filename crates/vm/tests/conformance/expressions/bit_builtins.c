#include <stdio.h>

int main(void) {
    unsigned values[] = {1, 2, 0x80000000u, 0x00f0u, 0xffffffffu, 0x12345678u};
    for (int i = 0; i < 6; i++) {
        unsigned v = values[i];
        printf("%d %d %d %d %d\n", __builtin_clz(v), __builtin_ctz(v), __builtin_popcount(v),
               __builtin_parity(v), __builtin_ffs((int)v));
    }
    printf("%d %d %d\n", __builtin_clzll(1ull << 40), __builtin_ctzll(1ull << 40),
           __builtin_popcountll(~0ull));
    printf("%x %x %llx\n", __builtin_bswap16(0x1234), __builtin_bswap32(0x12345678u),
           (unsigned long long)__builtin_bswap64(0x0102030405060708ull));
    printf("%ld\n", __builtin_expect(5, 1));
    return 0;
}
