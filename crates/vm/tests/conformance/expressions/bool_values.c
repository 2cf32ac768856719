#include <stdbool.h>
#include <stdio.h>

int main(void) {
    bool a = 42, b = 0.25, c = 0.0, d = -1;
    printf("%d %d %d %d\n", a, b, c, d);
    bool e = (bool)256;
    int n = 7;
    bool f = &n;
    printf("%d %d %zu\n", e, f, sizeof(bool));
    printf("%d %d\n", a + b + d, !a);
    a -= 1;
    printf("%d\n", a);
    a |= 8;
    printf("%d\n", a);
    bool t = true, u = false;
    printf("%d %d %d %d\n", t && u, t || u, t ^ t, t == !u);
    return 0;
}
