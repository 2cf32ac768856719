#include <stdio.h>

int main(void) {
    puts("falls off the end");
}
