// Product of a sparse matrix and a vector: each thread has rows of its own.
// focus: y
// expect: serializable
#include <pthread.h>

static const int value[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
static const int column[9] = {0, 2, 1, 0, 1, 2, 2, 0, 1};
static const int start[4] = {0, 3, 6, 9};
static const int x[3] = {5, 6, 7};
int y[3];

static void *worker(void *arg)
{
    long row = (long)arg;
    for (int k = start[row]; k < start[row + 1]; k++)
        y[row] += value[k] * x[column[k]];
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
