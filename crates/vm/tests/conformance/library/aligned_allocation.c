#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    void *p = NULL;
    printf("%d\n", posix_memalign(&p, 16, 100));
    printf("%d\n", (int)((uintptr_t)p % 16));
    memset(p, 1, 100);
    free(p);
    printf("%d\n", posix_memalign(&p, 3, 100) == EINVAL);
    p = aligned_alloc(8, 64);
    printf("%d\n", (int)((uintptr_t)p % 8));
    free(p);
    p = reallocarray(NULL, 4, 8);
    printf("%d\n", p != NULL);
    free(p);
    return 0;
}
