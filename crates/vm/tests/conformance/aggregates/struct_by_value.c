#include <stdio.h>

struct point {
    int x, y;
};

struct large {
    long values[10];
};

static struct point add(struct point a, struct point b) {
    a.x += b.x;
    a.y += b.y;
    return a;
}

static struct large fill(int start) {
    struct large l;
    for (int i = 0; i < 10; i++)
        l.values[i] = start + i;
    return l;
}

static long sum(struct large l) {
    long total = 0;
    for (int i = 0; i < 10; i++) {
        total += l.values[i];
        l.values[i] = 0;
    }
    return total;
}

int main(void) {
    struct point p = {1, 2}, q = {10, 20};
    struct point r = add(add(p, q), p);
    printf("%d %d %d %d\n", p.x, p.y, r.x, r.y);
    struct large l = fill(5);
    printf("%ld %ld %ld\n", sum(l), sum(l), sum(fill(100)));
    printf("%d %ld\n", add(p, p).y, fill(7).values[3]);
    return 0;
}
