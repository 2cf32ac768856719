#include <stdio.h>

static void swap(int **a, int **b) {
    int *t = *a;
    *a = *b;
    *b = t;
}

static void set(int ***p, int value) {
    ***p = value;
}

int main(void) {
    int x = 1, y = 2;
    int *px = &x, *py = &y;
    swap(&px, &py);
    printf("%d %d\n", *px, *py);
    int **ppx = &px;
    set(&ppx, 9);
    printf("%d %d\n", x, y);
    int *table[3] = {&x, &y, NULL};
    int **t = table;
    int sum = 0;
    while (*t)
        sum += **t++;
    printf("%d\n", sum);
    return 0;
}
