#include <stdio.h>

int main(void) {
    int i = 0;
    int a = (i++, i++, i * 10);
    printf("%d %d\n", i, a);
    int n = 0;
    for (int x = 0, y = 10; x < y; x++, y--)
        n += y - x;
    printf("%d\n", n);
    int b[3];
    int k = (b[0] = 1, b[1] = b[0] + 1, b[2] = b[1] * 5);
    printf("%d %d %d %d\n", k, b[0], b[1], b[2]);
    return 0;
}
