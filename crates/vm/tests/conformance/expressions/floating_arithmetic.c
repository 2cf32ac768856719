#include <stdio.h>

int main(void) {
    double a = 1.0 / 3, b = 2.5e10, c = -7.25;
    float f = 1.0f / 3;
    printf("%.17g %.17g %.17g\n", a, a * b, a + c);
    printf("%.9g %.9g\n", f, f * 3);
    printf("%.17g\n", (double)f);
    printf("%d\n", 0.1 + 0.2 == 0.3);
    printf("%d\n", 0.1f + 0.2f == 0.3f);
    double zero = 0;
    printf("%f %f\n", 1 / zero, -1 / zero);
    printf("%d\n", zero / zero == zero / zero);
    printf("%d %d\n", 0.0 == -0.0, 1 / 0x1p-1074 > 1e308);
    printf("%g %g\n", -c, +c);
    printf("%d\n", !c);
    printf("%g\n", 7 / 2 + 7 / 2.0);
    return 0;
}
