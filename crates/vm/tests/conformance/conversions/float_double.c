#include <stdio.h>

int main(void) {
    double d = 0.1;
    float f = d;
    printf("%.17g %.17g\n", d, (double)f);
    printf("%d %d\n", f == d, f == (float)d);
    printf("%g\n", (double)(float)1e40);
    printf("%g\n", (double)(float)1e-50);
    float a = 16777216.0f;
    printf("%d\n", a + 1.0f == a);
    printf("%d\n", a + 1.0 == a);
    printf("%.9g\n", 1.1f * 1.1f);
    printf("%.17g\n", 1.1 * 1.1);
    return 0;
}
