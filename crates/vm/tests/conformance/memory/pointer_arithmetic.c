#include <stdio.h>

int main(void) {
    int a[] = {1, 2, 3, 4, 5};
    int *p = a + 1;
    printf("%d %d %d %d\n", p[0], p[-1], *(p + 2), 2 [p]);
    int *end = &a[5];
    int sum = 0;
    for (int *q = a; q != end; q++)
        sum += *q;
    printf("%d %td\n", sum, end - p);
    char *c = (char *)a;
    printf("%d\n", *(int *)(c + 2 * sizeof(int)));
    double d[3] = {1.5, 2.5, 3.5};
    double *e = d + 3;
    e -= 2;
    printf("%g %g\n", *e, e[1]);
    int **pp = &p;
    (*pp)++;
    printf("%d\n", *p);
    return 0;
}
