#include <stdio.h>

int main(void) {
    int i = 5;
    printf("%d\n", i++);
    printf("%d\n", ++i);
    printf("%d\n", i--);
    printf("%d\n", --i);
    double d = 1.5;
    d++;
    printf("%.1f\n", d--);
    printf("%.1f\n", d);
    int a[] = {10, 20, 30, 40};
    int *p = a;
    printf("%d\n", *p++);
    printf("%d\n", *++p);
    printf("%d\n", (*p)++);
    printf("%d %d\n", a[2], *p--);
    printf("%d\n", ++*p);
    unsigned char c = 255;
    printf("%d ", c++);
    printf("%d\n", c);
    _Bool b = 0;
    b++;
    b++;
    printf("%d\n", b);
    return 0;
}
