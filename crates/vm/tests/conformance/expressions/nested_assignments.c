#include <stdio.h>

int main(void) {
    int a, b, c;
    a = (b = (c = 5) + 1) + 1;
    printf("%d %d %d\n", a, b, c);
    char narrow;
    int wide = narrow = 'a' + 1;
    printf("%d %c\n", wide, narrow);
    int n = 10, sum = 0;
    while ((n -= 3) > 0)
        sum += n;
    printf("%d %d\n", n, sum);
    int array[5], i = 0;
    while (i < 5) {
        array[i] = i * i;
        i++;
    }
    int *p = array + 5, last;
    while (p != array && (last = *--p) > 3)
        printf("%d ", last);
    printf("%d\n", last);
    return 0;
}
