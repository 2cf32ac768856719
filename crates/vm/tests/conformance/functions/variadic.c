#include <stdarg.h>
#include <stdio.h>

static int sum(int n, ...) {
    va_list list;
    int total = 0;
    va_start(list, n);
    while (n--)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

static double mean(int n, va_list list) {
    double total = 0;
    for (int i = 0; i < n; i++)
        total += va_arg(list, double);
    return total / n;
}

static double twice_mean(int n, ...) {
    va_list list, copy;
    va_start(list, n);
    va_copy(copy, list);
    double a = mean(n, list), b = mean(n, copy);
    va_end(copy);
    va_end(list);
    return a + b;
}

static void print(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

int main(void) {
    printf("%d %d %d\n", sum(0), sum(3, 1, 2, 3), sum(8, 1, 2, 3, 4, 5, 6, 7, 8));
    printf("%g\n", twice_mean(4, 1.0, 2.0, 3.0, 4.0));
    print("%d %s %g %c %ld\n", 1, "two", 3.5, '4', 5L);
    return 0;
}
