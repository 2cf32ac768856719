#include <stdio.h>

struct b;
struct a {
    struct b *other;
    int n;
};
struct b {
    struct a *other;
    struct b *self;
    int n;
};

typedef struct ring {
    struct ring *next;
    int id;
} ring;

int main(void) {
    struct a x = {.n = 1};
    struct b y = {.other = &x, .self = &y, .n = 2};
    x.other = &y;
    printf("%d %d\n", x.other->self->self->n, y.other->other->other->n);
    ring r[3] = {{&r[1], 0}, {&r[2], 1}, {&r[0], 2}};
    ring *p = r;
    for (int i = 0; i < 7; i++, p = p->next)
        printf("%d ", p->id);
    puts("");
    return 0;
}
