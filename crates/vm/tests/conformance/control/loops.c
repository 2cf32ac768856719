#include <stdio.h>

int main(void) {
    int n = 0;
    while (n < 3)
        printf("while %d\n", n++);
    do
        printf("do %d\n", n--);
    while (n > 0);
    do {
        puts("once");
    } while (0);
    for (;;) {
        if (++n > 4)
            break;
        if (n % 2)
            continue;
        printf("for %d\n", n);
    }
    for (int i = 0, j = 5; i < j; ++i, --j)
        printf("%d-%d ", i, j);
    puts("");
    for (int i = 3; i--;)
        printf("%d ", i);
    puts("");
    return 0;
}
