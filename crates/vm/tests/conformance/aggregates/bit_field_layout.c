#include <stdio.h>
#include <string.h>

struct packed_bits {
    unsigned a : 4;
    unsigned b : 12;
    unsigned : 0;
    unsigned char c : 3;
    unsigned char d : 6;
    unsigned short e;
};

struct wide {
    unsigned long long low : 40;
    unsigned long long high : 24;
};

int main(void) {
    struct packed_bits p;
    memset(&p, 0, sizeof p);
    p.a = 5;
    p.b = 0xabc;
    p.c = 7;
    p.d = 0x21;
    p.e = 0x1234;
    const unsigned char *bytes = (const unsigned char *)&p;
    for (unsigned i = 0; i < sizeof p; i++)
        printf("%02x ", bytes[i]);
    printf("%zu\n", sizeof p);
    struct wide w = {0x123456789aULL, 0xfedcba};
    unsigned long long raw;
    memcpy(&raw, &w, sizeof raw);
    printf("%llx %zu\n", raw, sizeof w);
    printf("%llx %llx\n", (unsigned long long)w.low, (unsigned long long)w.high);
    return 0;
}
