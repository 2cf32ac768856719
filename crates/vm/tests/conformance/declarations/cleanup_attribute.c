#include <stdio.h>

static void leave(int *n) {
    printf("leave %d\n", *n);
}

static int work(int stop) {
    __attribute__((cleanup(leave))) int a = 1;
    {
        __attribute__((cleanup(leave))) int b = 2;
        if (stop)
            return a + b;
        b = 20;
    }
    for (int i = 0; i < 2; i++) {
        __attribute__((cleanup(leave))) int c = 30 + i;
        if (i == 0)
            continue;
        break;
    }
    return a;
}

int main(void) {
    printf("%d\n", work(1));
    printf("%d\n", work(0));
    return 0;
}
