#include <stdio.h>

int main(void) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            switch (i) {
            case 0:
                switch (j) {
                case 0:
                    printf("zero-zero ");
                    break;
                default:
                    printf("zero-other ");
                }
                break;
            case 1: {
                int k = j * 2;
                printf("one-%d ", k);
                if (k == 2)
                    continue;
                break;
            }
            default:
                printf("rest ");
            }
            puts(".");
        }
    return 0;
}
