#include <stdio.h>

typedef int number, *number_pointer, numbers[3];
typedef struct tree tree;
typedef int binary(int, int);
typedef binary *binary_pointer;

struct tree {
    tree *left;
    number value;
};

static binary maximum;

int main(void) {
    number n = 3;
    number_pointer p = &n;
    numbers a = {1, 2, 3};
    tree leaf = {NULL, 5}, root = {&leaf, 6};
    binary_pointer f = maximum;
    printf("%d %d %zu %d %d\n", *p, a[2], sizeof(numbers), root.left->value, f(3, 9));
    {
        typedef double number;
        number d = 1.5;
        printf("%g\n", d);
    }
    number number = 8;
    printf("%d\n", number);
    return 0;
}

static int maximum(int a, int b) {
    return a > b ? a : b;
}
