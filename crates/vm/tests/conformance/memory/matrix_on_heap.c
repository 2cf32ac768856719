#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int rows = 3, columns = 4;
    int **m = malloc(rows * sizeof *m);
    for (int i = 0; i < rows; i++) {
        m[i] = malloc(columns * sizeof **m);
        for (int j = 0; j < columns; j++)
            m[i][j] = i * columns + j;
    }
    for (int j = 0; j < columns; j++) {
        int sum = 0;
        for (int i = 0; i < rows; i++)
            sum += m[i][j];
        printf("%d ", sum);
    }
    puts("");
    for (int i = 0; i < rows; i++)
        free(m[i]);
    free(m);
    int(*flat)[columns] = malloc(sizeof(int[rows][columns]));
    flat[2][3] = 5;
    flat[0][0] = 1;
    printf("%d %zu\n", flat[2][3] + flat[0][0], sizeof *flat);
    free(flat);
    return 0;
}
