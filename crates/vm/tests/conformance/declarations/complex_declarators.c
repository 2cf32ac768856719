#include <stdio.h>

static int one(int n) {
    return n + 1;
}

static int *pick(int *a, int i) {
    return a + i;
}

int main(void) {
    int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int(*row)[3] = a + 1;
    int *columns[3] = {&a[0][0], &a[0][1], &a[0][2]};
    int (*functions[2])(int) = {one, one};
    int *(*chooser)(int *, int) = pick;
    int(*(*table)[2])(int) = &functions;
    printf("%d %d %d\n", (*row)[1], *columns[2], functions[1](4));
    printf("%d %d\n", *chooser(a[0], 2), (*table)[0](9));
    const int *const volatile p = *a;
    printf("%d\n", *p);
    char *const *names = (char *const[]){"x", "y"};
    printf("%s\n", names[1]);
    return 0;
}
