#include <math.h>
#include <stdio.h>

int main(void) {
    double values[] = {0.0, 0.4, 0.5, 0.6, 1.5, 2.5, -0.4, -0.5, -1.5, -2.5, 1e15, 123.456};
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        double v = values[i];
        printf("%g %g %g %g %g %ld %ld\n", floor(v), ceil(v), trunc(v), round(v), rint(v),
               lround(v), lrint(v));
    }
    printf("%g %g %g\n", fmod(7.5, 2), fmod(-7.5, 2), remainder(7.5, 2));
    double whole;
    double fraction = modf(-3.75, &whole);
    printf("%g %g\n", whole, fraction);
    printf("%g %g %g\n", (double)floorf(2.7f), (double)roundf(-2.5f), fabs(-3.25));
    return 0;
}
