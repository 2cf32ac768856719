#include <stdint.h>
#include <stdio.h>

int main(void) {
    int a[4] = {10, 20, 30, 40};
    uintptr_t base = (uintptr_t)a;
    int *p = (int *)(base + 2 * sizeof(int));
    printf("%d\n", *p);
    printf("%d\n", (uintptr_t)(a + 1) - base == sizeof(int));
    printf("%d\n", (int *)(intptr_t)&a[3] == a + 3);
    printf("%d\n", (uintptr_t)NULL == 0);
    printf("%d\n", base % _Alignof(int) == 0);
    void *v = (void *)(intptr_t)-1;
    printf("%ld\n", (long)(intptr_t)v);
    return 0;
}
