#include <stdio.h>
#include <stdlib.h>

static void first(void) {
    puts("first");
}

static void third(void) {
    puts("third");
}

static void second(void) {
    puts("second");
    atexit(third);
}

int main(void) {
    printf("%d\n", atexit(first));
    printf("%d\n", atexit(second));
    puts("main ends");
    return 5;
}
