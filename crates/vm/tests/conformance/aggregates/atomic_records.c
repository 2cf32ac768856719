#include <stdatomic.h>
#include <stdio.h>

struct pair {
    int a, b;
};

static _Atomic struct pair v = {3, 4};

static struct pair get(void) {
    return v;
}

static int both(struct pair x) {
    return x.a * 10 + x.b;
}

int main(void) {
    struct pair n = {1, 2}, d = {7, 8}, e;
    _Atomic struct pair l = {1, 9}, m = n;
    printf("%d %d\n", both(v), both(get()));
    v = n;
    printf("%d\n", both(v = (struct pair){5, 6}));
    e = atomic_load(&v);
    printf("%d\n", both(e));
    atomic_store(&v, d);
    printf("%d\n", both(atomic_exchange(&v, n)));
    printf("%d ", atomic_compare_exchange_strong(&v, &e, d));
    printf("%d\n", both(e));
    printf("%d ", atomic_compare_exchange_strong(&v, &e, d));
    printf("%d\n", both(v));
    l = m;
    d = l;
    printf("%d %d %d\n", both(d), both(m), both(n.a ? l : d));
    return (int)sizeof(v.a) - 4;
}
