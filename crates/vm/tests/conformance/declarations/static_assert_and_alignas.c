#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

_Static_assert(sizeof(int) == 4, "int has four bytes");
static_assert(sizeof(long) == 8, "long has eight bytes");

struct header {
    _Static_assert(1 + 1 == 2, "in a structure");
    char tag;
    _Alignas(8) char body[5];
};

_Alignas(64) static int line[4];

int main(void) {
    static_assert(offsetof(struct header, body) == 8, "aligned");
    printf("%zu %zu %d\n", sizeof(struct header), _Alignof(struct header),
           (int)((uintptr_t)line % 64));
    _Alignas(double) char c = 'c';
    printf("%d %c\n", (int)((uintptr_t)&c % _Alignof(double)), c);
    assert(sizeof line == 16);
    return 0;
}
