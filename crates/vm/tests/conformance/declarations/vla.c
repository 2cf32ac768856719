#include <stdio.h>

static int diagonal(int n, int m[n][n]) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += m[i][n - 1 - i];
    return sum;
}

int main(void) {
    for (int n = 1; n < 5; n++) {
        int m[n][n];
        int next = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                m[i][j] = next++;
        printf("%zu %d %d\n", sizeof m, m[n - 1][0], diagonal(n, m));
    }
    int k = 3;
    typedef char row[k + 1];
    k = 10;
    row r;
    printf("%zu\n", sizeof r);
    int(*p)[k] = &(int[10]){[9] = 4};
    printf("%d %zu\n", (*p)[9], sizeof *p);
    int a[k + 1];
    k++;
    printf("%zu %d\n", sizeof a, k);
    return 0;
}
