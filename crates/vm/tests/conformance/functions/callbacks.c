#include <stdio.h>

static void each(const int *a, int n, void (*f)(int, void *), void *context) {
    for (int i = 0; i < n; i++)
        f(a[i], context);
}

static void accumulate(int value, void *context) {
    *(int *)context += value;
}

struct range {
    int low, high;
};

static void widen(int value, void *context) {
    struct range *r = context;
    if (value < r->low)
        r->low = value;
    if (value > r->high)
        r->high = value;
}

int main(void) {
    int a[] = {4, -2, 9, 0, 7};
    int sum = 0;
    each(a, 5, accumulate, &sum);
    struct range r = {a[0], a[0]};
    each(a, 5, widen, &r);
    printf("%d %d %d\n", sum, r.low, r.high);
    return 0;
}
