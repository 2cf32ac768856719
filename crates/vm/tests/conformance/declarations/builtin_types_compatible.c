#include <stdio.h>

#define SAME(a, b) __builtin_types_compatible_p(a, b)
#define ARRAY_LENGTH(a) \
    (sizeof(a) / sizeof((a)[0]) + 0 * sizeof(char[1 - 2 * SAME(typeof(a), typeof(&(a)[0]))]))

typedef int number;

int main(void) {
    printf("%d %d %d\n", SAME(int, number), SAME(int, const int), SAME(int, unsigned));
    printf("%d %d\n", SAME(int[], int[3]), SAME(char *, signed char *));
    int a[7];
    a[0] = 1;
    printf("%zu %d\n", ARRAY_LENGTH(a), a[0]);
    printf("%d\n", __builtin_choose_expr(SAME(typeof(a[0]), int), 10, "text"));
    printf("%d %d\n", __builtin_constant_p(3 + 4), (int)__builtin_offsetof(struct { int x, y; }, y));
    return 0;
}
