#include <stdio.h>

struct pair {
    int a, b;
};

static struct pair table[] = {[2] = {1, 2}, [0] = {3}, {5, 6}};

int main(void) {
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        printf("%d %d\n", table[i].a, table[i].b);
    int flat[2][2] = {1, 2, 3};
    printf("%d %d %d %d\n", flat[0][0], flat[0][1], flat[1][0], flat[1][1]);
    struct {
        struct pair p[2];
        int n;
    } s = {1, 2, 3, 4, 5};
    printf("%d %d %d\n", s.p[0].b, s.p[1].a, s.n);
    char text[][4] = {"abc", {'x', 'y'}, {"z"}};
    printf("%s %s %s\n", text[0], text[1], text[2]);
    int scalar = {7};
    printf("%d\n", scalar);
    return 0;
}
