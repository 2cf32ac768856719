#include <stdio.h>

struct flags {
    unsigned a : 3;
    unsigned b : 5;
    int c : 4;
    unsigned d : 20;
    _Bool e : 1;
};

int main(void) {
    struct flags f = {0};
    f.a = 9;
    f.b = 31;
    f.c = -3;
    f.d = 0xfffff;
    f.e = 5;
    printf("%u %u %d %x %d\n", f.a, f.b, f.c, f.d, f.e);
    f.b++;
    f.c += 3;
    f.d ^= 0xff;
    printf("%u %u %d %x %d\n", f.a, f.b, f.c, f.d, f.e);
    f.a = f.b = 7;
    printf("%u %u\n", f.a, f.b);
    printf("%d\n", f.a - 8 < 0);
    struct flags g = f;
    g.a--;
    printf("%u %u %zu\n", f.a, g.a, sizeof f);
    return 0;
}
