#include <stdio.h>

#define MAX(a, b)           \
    ({                      \
        __typeof__(a) _a = (a); \
        __typeof__(b) _b = (b); \
        _a > _b ? _a : _b;  \
    })

int main(void) {
    int i = 3;
    printf("%d\n", MAX(i++, 2));
    printf("%d\n", i);
    int n = ({
        int sum = 0;
        for (int k = 1; k <= 4; k++)
            sum += k;
        sum;
    });
    printf("%d\n", n);
    printf("%g\n", MAX(1.5, MAX(2, 1)) + ({ 0.25; }));
    int r = i > 0 ? ({ i = 100; i + 1; }) : 0;
    printf("%d %d\n", r, i);
    ({ puts("void one"); });
    struct {
        int a, b;
    } s = {({ 4; }), ({ int z = 5; z * 2; })};
    printf("%d %d\n", s.a, s.b);
    return 0;
}
