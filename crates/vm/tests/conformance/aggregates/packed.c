#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct __attribute__((packed)) header {
    unsigned char type;
    unsigned length;
    unsigned short check;
};

struct aligned {
    char c;
} __attribute__((aligned(8)));

int main(void) {
    struct header h = {1, 0x01020304, 0xa0b0};
    unsigned char bytes[sizeof h];
    memcpy(bytes, &h, sizeof h);
    for (unsigned i = 0; i < sizeof bytes; i++)
        printf("%02x ", bytes[i]);
    printf("%zu %zu\n", sizeof h, offsetof(struct header, length));
    h.length += 5;
    printf("%x\n", h.length);
    printf("%zu %zu\n", sizeof(struct aligned), sizeof(struct aligned[3]));
    return 0;
}
