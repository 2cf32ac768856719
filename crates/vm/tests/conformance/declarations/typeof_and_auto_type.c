#include <stdio.h>

#define SWAP(a, b)        \
    do {                  \
        typeof(a) _t = a; \
        a = b;            \
        b = _t;           \
    } while (0)

int main(void) {
    int x = 1, y = 2;
    SWAP(x, y);
    printf("%d %d\n", x, y);
    double d = 1.5, e = 2.5;
    SWAP(d, e);
    printf("%g %g\n", d, e);
    __auto_type l = 1L << 40;
    __auto_type p = &x;
    *p += 10;
    printf("%ld %zu %d\n", l, sizeof l, x);
    typeof(int[3]) a = {1, 2, 3};
    typeof(a[0]) sum = a[0] + a[1] + a[2];
    typeof(&a) pa = &a;
    printf("%d %zu %d\n", sum, sizeof(typeof(a)), (*pa)[1]);
    typeof(sizeof(int)) z = sizeof a;
    printf("%zu\n", z);
    return 0;
}
