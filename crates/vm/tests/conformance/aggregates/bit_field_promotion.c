#include <stdio.h>

#define TYPE(e) \
    _Generic((e), int: "int", unsigned: "unsigned", long: "long", unsigned long: "unsigned long", \
        default: "other")

/* What a bit-field of a wide type promotes to depends on its width only. */
struct fields {
    unsigned long a : 32;
    long b : 32;
    unsigned long c : 31;
    unsigned d : 32;
    long e : 5;
    _Bool f : 1;
};

int main(void) {
    struct fields s = {4294967295, -1, 5, 7, -3, 1};
    printf("%s %s %s %s %s %s\n", TYPE(+s.a), TYPE(+s.b), TYPE(+s.c), TYPE(+s.d), TYPE(+s.e),
           TYPE(+s.f));
    printf("%d %d\n", s.a + 1 == 0, -s.d > 0);
    printf("%lu %ld\n", (unsigned long)(s.a * s.a), (long)(s.b - s.a));
    return 0;
}
