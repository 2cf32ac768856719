#include <stdio.h>

int main(void) {
    int a = 2, b = 3, c = 4;
    printf("%d\n", a + b * c);
    printf("%d\n", (a + b) * c);
    printf("%d\n", a - b - c);
    printf("%d\n", 100 / 10 / 2);
    printf("%d\n", 1 << 2 + 1);
    printf("%d\n", (a & b) == 2);
    printf("%d\n", -a * -b);
    printf("%d\n", !a + 1);
    printf("%d\n", ~a & b);
    printf("%d\n", a < b == b < c);
    printf("%d\n", a == 2 && b == 3 || c == 0);
    int array[] = {1, 2, 3};
    int *p = array;
    printf("%d %d\n", *p + 1, *(p + 1));
    printf("%d\n", -*p);
    printf("%d\n", a ? b : c ? 1 : 2);
    return 0;
}
