#include <math.h>
#include <stdio.h>

int main(void) {
    volatile double zero = 0;
    double values[] = {0.0, -0.0, 1.0, -1.0, 1 / zero, -1 / zero, NAN, 1e-310};
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        double v = values[i];
        printf("%d %d %d %d %d\n", !!isnan(v), !!isinf(v), !!isfinite(v), !!isnormal(v),
               i == 6 ? 0 : !!signbit(v));
    }
    printf("%d %d\n", fpclassify(0.0) == FP_ZERO, fpclassify(1e-310) == FP_SUBNORMAL);
    printf("%g %g\n", copysign(3, -0.0), INFINITY);
    int e;
    double m = frexp(48.0, &e);
    printf("%g %d %g %d\n", m, e, ldexp(0.75, 6), ilogb(48.0));
    printf("%d %d\n", nextafter(1.0, 2.0) > 1.0, isless(1.0, 2.0));
    return 0;
}
