#include <stdio.h>

int main(void) {
    int i = 16777217;
    long l = 9007199254740993L;
    unsigned long ul = 18446744073709551615ul;
    printf("%.1f %.1f\n", (double)(float)i, (double)i);
    printf("%.1f %.1f\n", (double)l, (double)ul);
    printf("%.1f\n", (double)(float)ul);
    printf("%.1f %.1f\n", (double)-1, (double)(unsigned)-1);
    double sum = 0;
    for (int k = 0; k < 10; k++)
        sum += k;
    printf("%g %g\n", sum, sum / 4);
    float f = 1 / 2;
    float g = 1 / 2.0f;
    printf("%g %g\n", f, g);
    return 0;
}
