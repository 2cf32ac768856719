#include <limits.h>
#include <stdio.h>

int main(void) {
    unsigned char c = UCHAR_MAX;
    unsigned short s = USHRT_MAX;
    unsigned i = UINT_MAX;
    unsigned long l = ULONG_MAX;
    c++;
    s++;
    i++;
    l++;
    printf("%d %d %u %lu\n", c, s, i, l);
    c--;
    s--;
    i--;
    l--;
    printf("%d %d %u %lu\n", c, s, i, l);
    printf("%u %lu\n", 0u - 1u, 0ul - 2ul);
    printf("%u\n", 3000000000u * 3u);
    printf("%lu\n", 10000000000000000000ul * 3ul);
    return 0;
}
