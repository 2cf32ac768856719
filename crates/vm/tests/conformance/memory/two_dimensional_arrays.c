#include <stdio.h>

static int trace(int (*m)[3]) {
    return m[0][0] + m[1][1] + m[2][2];
}

static int total(int rows, int m[][3]) {
    int sum = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < 3; j++)
            sum += m[i][j];
    return sum;
}

int main(void) {
    int m[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    printf("%d %d\n", trace(m), total(2, m));
    printf("%zu %zu\n", sizeof m, sizeof m[0]);
    int *flat = &m[0][0];
    printf("%d %d\n", flat[4], *(*(m + 2) + 1));
    int part[2][4] = {{1}, {[2] = 5}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            printf("%d ", part[i][j]);
    puts("");
    char names[][6] = {"one", "two", "three"};
    printf("%s %s %c\n", names[1], names[2] + 1, names[0][2]);
    return 0;
}
