#include <stdio.h>

static int value(int n) {
    switch (n) {
    case 1:
        return 10;
    case -1:
        return 20;
    case 'a':
        return 30;
    case 1000000:
        return 40;
    default:
        return 50;
    }
}

int main(void) {
    int inputs[] = {1, -1, 'a', 1000000, 0, 97, 2};
    for (int i = 0; i < 7; i++)
        printf("%d ", value(inputs[i]));
    puts("");
    switch (3) {
    default:
        puts("default first");
        break;
    case 4:
        puts("four");
    }
    switch (5) {
    case 6:
        puts("never");
    }
    puts("end");
    return 0;
}
