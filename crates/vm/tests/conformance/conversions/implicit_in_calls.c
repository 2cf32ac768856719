#include <stdio.h>

static double half(double x) {
    return x / 2;
}

static int truncated(int n) {
    return n;
}

static unsigned char byte(int n) {
    return n;
}

static _Bool truth(double d) {
    return d;
}

static float single(double d) {
    return d;
}

int main(void) {
    printf("%g\n", half(3));
    printf("%d\n", truncated(3.9));
    printf("%d\n", byte(300));
    printf("%d %d\n", truth(0.1), truth(0));
    printf("%.10g\n", single(0.1));
    char c = 'A';
    short s = -2;
    float f = 0.5f;
    printf("%d %d %g\n", c, s, f);
    return 0;
}
