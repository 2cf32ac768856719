#include <stdio.h>

static int first(int a[]) {
    return a[0];
}

static int sized(int a[static 3]) {
    return a[2];
}

static size_t size(int a[10]) {
    return sizeof(a);
}

static int matrix(int n, int m[n][n]) {
    int t = 0;
    for (int i = 0; i < n; i++)
        t += m[i][i];
    return t;
}

static void modify(int *a, int n) {
    while (n--)
        *a++ += 100;
}

int main(void) {
    int a[4] = {1, 2, 3, 4};
    int m[2][2] = {{1, 2}, {3, 4}};
    size_t (*f)(int *) = size;
    printf("%d %d %zu %d\n", first(a + 1), sized(a), f(a), matrix(2, m));
    modify(a, 3);
    printf("%d %d %d\n", a[0], a[2], a[3]);
    return 0;
}
