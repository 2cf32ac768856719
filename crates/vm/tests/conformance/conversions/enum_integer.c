#include <stdio.h>

enum colour { RED, GREEN = 5, BLUE };
enum negative { BELOW = -3, ABOVE = 3 };

int main(void) {
    enum colour c = BLUE;
    int n = c;
    c = 5;
    printf("%d %d %d\n", n, c == GREEN, RED);
    enum negative m = BELOW;
    printf("%d %d\n", m, m < 0);
    printf("%zu\n", sizeof(enum colour));
    int counts[BLUE + 1] = {[RED] = 1, [BLUE] = 2};
    printf("%d %d %d\n", counts[0], counts[5], counts[6]);
    c = RED;
    c++;
    printf("%d\n", c);
    printf("%d\n", GREEN + BLUE * 2);
    return 0;
}
