#include <stdio.h>

static signed char narrow(int n) {
    return n;
}

static unsigned short half(int n) {
    return n;
}

static long long wide(int n) {
    return (long long)n * n;
}

static const char *text(int n) {
    return n ? "one" : "zero";
}

static void nothing(int *n) {
    if (*n > 5)
        return;
    *n += 1;
}

static int (*array(void))[3] {
    static int a[3] = {7, 8, 9};
    return &a;
}

int main(void) {
    int n = 5;
    nothing(&n);
    nothing(&n);
    printf("%d %d %d %lld %s %d\n", narrow(200), half(70000), n, wide(100000), text(1),
           (*array())[1]);
    return 0;
}
