#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *a = malloc(10 * sizeof *a);
    if (!a)
        return 1;
    for (int i = 0; i < 10; i++)
        a[i] = i * i;
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += a[i];
    printf("%d\n", sum);
    free(a);
    char *zero = calloc(16, 4);
    int any = 0;
    for (int i = 0; i < 64; i++)
        any |= zero[i];
    printf("%d\n", any);
    free(zero);
    free(NULL);
    return 0;
}
