#include <stdio.h>

int main(void) {
    int values[] = {-2, -1, 0, 1, 2};
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            int a = values[i], b = values[j];
            printf("%d%d%d%d%d%d ", a < b, a <= b, a > b, a >= b, a == b, a != b);
        }
        puts("");
    }
    unsigned u = 1;
    int n = -1;
    printf("%d %d\n", n > (int)u, (unsigned)n > u);
    long l = -1;
    printf("%d %d\n", l < (long)u, l < 0x80000000u);
    return 0;
}
