#include <stdio.h>

int main(void) {
    signed char sc = -1;
    unsigned char uc = 255;
    unsigned u = 0xffffffffu;
    long l = -1;
    unsigned long ul = (unsigned long)-1;
    printf("%d\n", sc == uc);
    printf("%d\n", (unsigned)sc == u);
    printf("%d\n", l == (long)u);
    printf("%d\n", (unsigned long)l == ul);
    printf("%d\n", (unsigned long)sc == ul);
    printf("%d\n", (unsigned char)sc == uc);
    printf("%d\n", (long)sc < (long)u);
    return 0;
}
