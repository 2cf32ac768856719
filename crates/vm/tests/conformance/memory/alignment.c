#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct mixed {
    char a;
    short b;
    char c;
    int d;
    char e;
    long f;
    char g;
};

int main(void) {
    printf("%zu %zu %zu %zu\n", alignof(char), alignof(short), alignof(int), alignof(double));
    printf("%zu %zu %zu %zu %zu\n", offsetof(struct mixed, b), offsetof(struct mixed, c),
           offsetof(struct mixed, d), offsetof(struct mixed, f), sizeof(struct mixed));
    alignas(32) char buffer[3];
    printf("%d\n", (int)((uintptr_t)buffer % 32));
    struct {
        char c;
        alignas(16) int n;
    } s;
    printf("%zu %zu\n", sizeof s, alignof(struct mixed));
    void *p = malloc(1);
    printf("%d\n", (int)((uintptr_t)p % 16));
    free(p);
    return 0;
}
