#include <stdio.h>

int main(void) {
    double values[] = {0.0, 0.9, -0.9, 1.5, -1.5, 127.99, 1e9, -1e9, 2147483647.0};
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++)
        printf("%d %ld\n", (int)values[i], (long)values[i]);
    printf("%u %lu\n", (unsigned)4e9, (unsigned long)1.5e19);
    printf("%lld\n", (long long)-9e18);
    float f = 16777217.0f;
    printf("%d\n", (int)f);
    unsigned char c = 200.7;
    printf("%d\n", c);
    int n = 3.99f;
    printf("%d\n", n);
    return 0;
}
