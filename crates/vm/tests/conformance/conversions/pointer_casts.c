#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned n = 0x11223344;
    unsigned char *bytes = (unsigned char *)&n;
    for (int i = 0; i < 4; i++)
        printf("%x ", bytes[i]);
    puts("");
    bytes[0] = 0xff;
    printf("%x\n", n);
    float f = 1.0f;
    unsigned bits;
    memcpy(&bits, &f, sizeof bits);
    printf("%x\n", bits);
    void *v = &n;
    printf("%x\n", *(unsigned *)v);
    char text[] = "abcdef";
    char(*pairs)[2] = (char(*)[2])text;
    printf("%c%c%c\n", pairs[0][0], pairs[1][0], pairs[2][1]);
    return 0;
}
