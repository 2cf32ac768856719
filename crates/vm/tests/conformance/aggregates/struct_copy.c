#include <stdio.h>

struct inner {
    int a[3];
    char c;
};

struct outer {
    struct inner x, y;
    double d;
};

int main(void) {
    struct outer o = {{{1, 2, 3}, 'p'}, {{4, 5, 6}, 'q'}, 1.5};
    struct outer p = o;
    p.x.a[1] = 20;
    p.y = p.x;
    printf("%d %d %d %c %g\n", o.x.a[1], p.x.a[1], p.y.a[1], p.y.c, p.d);
    struct outer array[2];
    array[0] = o;
    array[1] = array[0];
    array[1].x.c = 'z';
    printf("%c %c\n", array[0].x.c, array[1].x.c);
    struct outer *q = &array[1];
    *q = p;
    printf("%d %c\n", q->x.a[1], (*q).y.c);
    o = p = array[0];
    printf("%d %d\n", o.x.a[1], p.x.a[1]);
    return 0;
}
