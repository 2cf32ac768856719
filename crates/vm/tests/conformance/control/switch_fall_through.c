#include <stdio.h>

int main(void) {
    for (int i = 0; i < 6; i++) {
        printf("%d:", i);
        switch (i) {
        case 0:
            printf(" zero");
        case 1:
            printf(" one");
            break;
        case 2:
        case 3:
            printf(" two-three");
        default:
            printf(" default");
        case 4:
            printf(" four");
        }
        puts("");
    }
    return 0;
}
