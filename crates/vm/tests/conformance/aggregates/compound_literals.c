#include <stdio.h>

struct point {
    int x, y;
};

static int sum(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

static int dot(struct point a, struct point b) {
    return a.x * b.x + a.y * b.y;
}

static struct point *global = &(struct point){8, 9};

int main(void) {
    printf("%d\n", sum((int[]){1, 2, 3, 4}, 4));
    printf("%d\n", dot((struct point){1, 2}, (struct point){.y = 3, .x = 4}));
    struct point p;
    p = (struct point){5, 6};
    printf("%d %d\n", p.x, p.y);
    struct point *q = &(struct point){7, 8};
    q->x++;
    printf("%d %d\n", q->x, q->y);
    printf("%d %d\n", global->x, (int){3} + 1);
    for (int i = 0; i < 3; i++) {
        int *a = (int[]){i, i + 1};
        a[0] *= 10;
        printf("%d ", a[0] + a[1]);
    }
    puts("");
    printf("%s\n", (char[]){"literal"});
    return 0;
}
