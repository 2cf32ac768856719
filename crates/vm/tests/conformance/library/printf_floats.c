#include <stdio.h>

int main(void) {
    double values[] = {0.0, 1.0, -1.5, 3.14159265358979, 1e10, 1e-5, 123456789.125, 0.5, 2.5};
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        double v = values[i];
        printf("[%f] [%.2f] [%.0f] [%e] [%.3e] [%g] [%G]\n", v, v, v, v, v, v, v);
    }
    printf("[%10.3f] [%-10.3f] [%010.3f] [%+.1f] [% .1f]\n", 1.5, 1.5, -1.5, 1.25, 1.25);
    printf("[%#g] [%#.0f] [%.10g] [%.17g]\n", 1.0, 1.0, 0.1, 0.1);
    printf("[%a] [%.2a] [%A]\n", 1.0, 3.14, 0.5);
    printf("[%f] [%F] [%5.1f]\n", 1.0 / 0.0, -1.0 / 0.0, 1.0 / 0.0);
    printf("[%g] [%g] [%g]\n", 100000.0, 1000000.0, 0.0001);
    return 0;
}
