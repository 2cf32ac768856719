#include <stdio.h>
#include <string.h>

union word {
    unsigned n;
    unsigned char bytes[4];
    struct {
        unsigned short low, high;
    };
};

union tagged {
    int i;
    double d;
    char text[12];
};

int main(void) {
    union word w = {0x12345678};
    printf("%x %x %x %x\n", w.bytes[0], w.bytes[3], w.low, w.high);
    w.high = 0xabcd;
    printf("%x\n", w.n);
    union tagged t;
    t.d = 2.5;
    printf("%g %zu\n", t.d, sizeof t);
    strcpy(t.text, "union");
    printf("%s\n", t.text);
    t.i = 42;
    printf("%d\n", t.i);
    union tagged u = {.d = 0.5};
    t = u;
    printf("%g\n", t.d);
    return 0;
}
