#include <stdio.h>

static const char *sign(int n) {
    return n < 0 ? "negative" : n > 0 ? "positive" : "zero";
}

int main(void) {
    for (int i = -1; i <= 1; i++)
        printf("%s\n", sign(i));
    int x = 3;
    int y = x > 2 ? (x = 10, x + 1) : 0;
    printf("%d %d\n", x, y);
    long l = 1 ? -1 : 2L;
    printf("%ld\n", l);
    printf("%d\n", (1 ? -1 : 0u) > 0);
    printf("%.1f\n", 1 ? 2 : 3.5);
    int *p = x ? &x : NULL;
    printf("%d\n", *p);
    printf("%d %d\n", x ?: 7, 0 ?: 7);
    return 0;
}
