#include <math.h>
#include <stdio.h>

int main(void) {
    printf("%.10g %.10g %.10g\n", sqrt(2), cbrt(27), hypot(3, 4));
    printf("%.10g %.10g %.10g\n", pow(2, 10), pow(2, -0.5), pow(-2, 3));
    printf("%.10g %.10g %.10g %.10g\n", exp(1), log(10), log2(8), log10(1000));
    printf("%.8f %.8f %.8f\n", sin(1), cos(1), tan(1));
    printf("%.8f %.8f %.8f %.8f\n", asin(0.5), acos(0.5), atan(1), atan2(-1, -1));
    printf("%.8f %.8f %.8f\n", sinh(1), cosh(1), tanh(1));
    printf("%.8f %.8f\n", expm1(1e-5), log1p(1e-5));
    printf("%g %g %g\n", fmin(1, 2), fmax(1, 2), fdim(5, 3));
    printf("%.6f %.6f\n", (double)sqrtf(2.0f), (double)sinf(0.5f));
    return 0;
}
