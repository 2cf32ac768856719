#include <stdio.h>

#define NAME(x)                                                                           \
    _Generic((x), char: "char", signed char: "schar", int: "int", unsigned: "unsigned",    \
             long: "long", float: "float", double: "double", char *: "char *",             \
             const char *: "const char *", int *: "int *", void *: "void *",               \
             int (*)(int): "function", default: "other")

static int f(int n) {
    return n;
}

#define absolute(x) _Generic((x), int: absolute_int, double: absolute_double)(x)

static int absolute_int(int n) {
    return n < 0 ? -n : n;
}

static double absolute_double(double d) {
    return d < 0 ? -d : d;
}

int main(void) {
    char c = 0;
    const int k = 1;
    int a[2];
    puts(NAME(c));
    puts(NAME('a'));
    puts(NAME(k));
    puts(NAME(a));
    puts(NAME("literal"));
    puts(NAME((const char *)0));
    puts(NAME(f));
    puts(NAME(1.0f));
    puts(NAME(1L << 3));
    puts(NAME((void *)0));
    puts(NAME((short)1));
    printf("%d %g\n", absolute(-3), absolute(-2.5));
    return 0;
}
