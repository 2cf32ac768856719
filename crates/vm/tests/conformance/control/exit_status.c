#include <stdio.h>
#include <stdlib.h>

static void leave(int n) {
    if (n == 0) {
        puts("leaving");
        exit(42);
    }
    leave(n - 1);
    puts("not reached");
}

int main(void) {
    leave(3);
    return 0;
}
