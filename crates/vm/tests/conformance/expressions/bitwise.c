#include <stdio.h>

int main(void) {
    unsigned a = 0xf0f0a5a5u, b = 0x0ff05a5au;
    printf("%x %x %x %x\n", a & b, a | b, a ^ b, ~a);
    int n = -6;
    printf("%d %d %d %d\n", n & 7, n | 1, n ^ 3, ~n);
    long l = -1L;
    printf("%ld %ld\n", l & 0xffffffffu, l ^ 0x7fffffff);
    a &= b;
    b |= 1;
    b ^= 0xff;
    printf("%x %x\n", a, b);
    unsigned char c = 0x5a;
    printf("%d %d\n", ~c, (unsigned char)~c);
    return 0;
}
