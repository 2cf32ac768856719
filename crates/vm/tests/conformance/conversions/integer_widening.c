#include <stdio.h>

int main(void) {
    signed char sc = -5;
    unsigned char uc = 251;
    short s = -300;
    unsigned short us = 65236;
    int i = -70000;
    unsigned u = 4294897296u;
    printf("%ld %ld %ld %ld %ld %ld\n", (long)sc, (long)uc, (long)s, (long)us, (long)i, (long)u);
    printf("%lu %lu %lu\n", (unsigned long)sc, (unsigned long)s, (unsigned long)i);
    printf("%u %u\n", (unsigned)sc, (unsigned)s);
    char c = '\xe9';
    printf("%d %d\n", c, (unsigned char)c);
    return 0;
}
