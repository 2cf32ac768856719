// Successive over-relaxation: threads change rows of one colour, then, created anew, of the other.
// focus: grid
// expect: serializable
#include <pthread.h>

double grid[5][5];

static void *worker(void *arg)
{
    long row = (long)arg;
    for (int j = 1; j < 4; j++) {
        double around = grid[row - 1][j] + grid[row + 1][j] + grid[row][j - 1] + grid[row][j + 1];
        grid[row][j] = 0.25 * 1.25 * around - 0.25 * grid[row][j];
    }
    return 0;
}

int main(void)
{
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            grid[i][j] = i * 5 + j;
    for (int colour = 0; colour < 2; colour++) {
        pthread_t threads[2];
        int n = 0;
        for (long row = 1 + colour; row < 4; row += 2)
            pthread_create(&threads[n++], 0, worker, (void *)row);
        for (int i = 0; i < n; i++)
            pthread_join(threads[i], 0);
    }
    return 0;
}
