// LU factorisation: for each pivot, threads eliminate rows of their own.
// focus: matrix
// expect: serializable
#include <pthread.h>

double matrix[4][4] = {{4, 3, 2, 1}, {3, 5, 2, 2}, {2, 2, 6, 3}, {1, 2, 3, 7}};
static int pivot;

static void *worker(void *arg)
{
    long row = (long)arg;
    double factor = matrix[row][pivot] / matrix[pivot][pivot];
    for (int j = pivot; j < 4; j++)
        matrix[row][j] -= factor * matrix[pivot][j];
    matrix[row][pivot] = factor;
    return 0;
}

int main(void)
{
    for (pivot = 0; pivot < 3; pivot++) {
        pthread_t threads[4];
        for (long row = pivot + 1; row < 4; row++)
            pthread_create(&threads[row], 0, worker, (void *)row);
        for (int row = pivot + 1; row < 4; row++)
            pthread_join(threads[row], 0);
    }
    return 0;
}
