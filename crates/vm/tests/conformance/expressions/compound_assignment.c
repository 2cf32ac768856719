#include <stdio.h>

static int index_calls;

static int at(int i) {
    index_calls++;
    return i;
}

int main(void) {
    int a[4] = {1, 2, 3, 4};
    a[at(0)] += 10;
    a[at(1)] -= 10;
    a[at(2)] *= 10;
    a[at(3)] /= 3;
    printf("%d %d %d %d %d\n", a[0], a[1], a[2], a[3], index_calls);
    int n = 100;
    n %= 7;
    n <<= 4;
    n >>= 1;
    n |= 3;
    n &= ~1;
    n ^= 5;
    printf("%d\n", n);
    unsigned char c = 250;
    c += 10;
    printf("%d\n", c);
    c *= 100;
    printf("%d\n", c);
    int k = 7;
    k *= 1.5;
    printf("%d\n", k);
    short s = 1;
    s -= 2.75;
    printf("%d\n", s);
    int x, y, z;
    x = y = z = 9;
    x += y -= z *= 2;
    printf("%d %d %d\n", x, y, z);
    return 0;
}
