#include <stdio.h>

int main(void) {
    int a[5] = {0};
    int *p = a, *q = a + 3, *end = a + 5;
    printf("%d %d %d %d\n", p < q, p <= p, p > q, q >= p);
    printf("%d %d\n", p == a, p != q);
    printf("%td %td %td\n", q - p, p - q, end - a);
    int *null = NULL;
    printf("%d %d %d\n", null == NULL, !null, p && q);
    void *v = q;
    printf("%d %d\n", v == q, (char *)q - (char *)p == 3 * sizeof(int));
    struct {
        int first, second;
    } s;
    printf("%d\n", (void *)&s.first < (void *)&s.second);
    return 0;
}
