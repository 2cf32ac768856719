#include <stdio.h>

int add(a, b)
int a;
int b;
{
    return a + b;
}

static double scale();

int main(void) {
    printf("%d\n", add(3, 4));
    printf("%g\n", scale(2.0, 3));
    return 0;
}

static double scale(x, n)
double x;
int n;
{
    return x * n;
}
