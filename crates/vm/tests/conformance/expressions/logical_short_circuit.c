#include <stdio.h>

static int calls;

static int say(int value) {
    calls++;
    printf("say %d\n", value);
    return value;
}

int main(void) {
    printf("= %d\n", say(0) && say(1));
    printf("= %d\n", say(2) && say(3));
    printf("= %d\n", say(4) || say(5));
    printf("= %d\n", say(0) || say(6));
    printf("= %d\n", say(0) || (say(7) && say(0)));
    printf("= %d %d\n", !5, !!5);
    if (say(1) && !say(0) && (say(0) || say(8)))
        printf("yes after %d calls\n", calls);
    return 0;
}
