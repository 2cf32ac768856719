#include <stdio.h>

int main(void) {
    for (int i = 0; i < 4; i++) {
        if (i == 2)
            continue;
        for (int j = 0; j < 4; j++) {
            if (j == i)
                continue;
            if (j == 3)
                break;
            printf("%d%d ", i, j);
        }
        int k = 0;
        while (1) {
            if (k++ == i)
                break;
        }
        printf("k%d\n", k);
    }
    return 0;
}
