#include <stdio.h>

int shared;
int shared;
extern int declared;
static int internal;
static int internal;
int array[];
int array[4];

int get(void);

int main(void) {
    extern int get(void);
    printf("%d %d %d %zu\n", shared, internal, declared, sizeof array);
    shared = 4;
    internal = 5;
    printf("%d\n", get());
    return 0;
}

int declared = 12;
static int internal = 0;

int get(void) {
    return shared + internal + declared;
}
