#include <stdio.h>
#include <stdlib.h>

static int order;

__attribute__((constructor)) static void before(void) {
    order = 1;
    puts("constructor");
}

__attribute__((destructor)) static void after(void) {
    puts("destructor");
}

__attribute__((noreturn)) static void stop(int status) {
    printf("stop %d\n", order);
    exit(status);
}

__attribute__((unused)) static int never(void) {
    return 1;
}

int main(void) {
    puts("main");
    stop(3);
}
