#include <stdio.h>

int main(void) {
    long long values[] = {0, 1, -1, 127, 128, 255, 256, -129, 32768, 65536, 2147483648LL,
                          4294967296LL, -2147483649LL, 0x123456789abcdefLL};
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        long long v = values[i];
        printf("%d %d %d %d %d %u\n", (signed char)v, (unsigned char)v, (short)v,
               (unsigned short)v, (int)v, (unsigned)v);
    }
    return 0;
}
