#include <stdio.h>

static const int table[] = {2, 3, 5, 7};
static volatile int flag;

static int length(const char *restrict s) {
    int n = 0;
    while (*s++)
        n++;
    return n;
}

static void copy(int n, int *restrict to, const int *restrict from) {
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}

int main(void) {
    int out[4];
    copy(4, out, table);
    printf("%d %d\n", out[3], length("restricted"));
    flag = 3;
    flag += flag;
    printf("%d\n", flag);
    register int r = 5;
    const volatile int cv = r;
    printf("%d\n", cv + r);
    int n = 1;
    const int *p = &n;
    n = 2;
    printf("%d\n", *p);
    int *const q = &n;
    *q = 3;
    printf("%d\n", *p);
    return 0;
}
