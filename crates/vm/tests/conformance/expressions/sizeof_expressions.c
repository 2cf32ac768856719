#include <stdio.h>

struct pair {
    char c;
    double d;
};

static int touched;

static int touch(void) {
    touched = 1;
    return 1;
}

int main(void) {
    int a[10];
    char text[] = "hello";
    printf("%zu %zu %zu\n", sizeof a, sizeof a[0], sizeof a / sizeof a[0]);
    printf("%zu %zu\n", sizeof text, sizeof "literal");
    printf("%zu %zu %zu\n", sizeof(char), sizeof 'x', sizeof(struct pair));
    printf("%zu %zu %zu\n", sizeof(1 ? 1 : 2L), sizeof(1.0f + 1), sizeof(1.0f + 1.0));
    printf("%zu %d\n", sizeof(touch()), touched);
    printf("%zu %zu\n", sizeof(int *), sizeof(int (*)[10]));
    printf("%zu\n", sizeof(short) + sizeof(long) + sizeof(long long) + sizeof(_Bool));
    char c = 1;
    printf("%zu %zu %zu\n", sizeof c, sizeof(c + c), sizeof(+c));
    return 0;
}
