// The Mandelbrot set: each thread computes rows of its own; a histogram is kept under a lock.
// focus: image, histogram
// expect: serializable
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int image[3][4];
int histogram[9];

static int escape(long cx, long cy)
{
    long x = 0, y = 0;
    int n = 0;
    while (n < 8 && x * x + y * y < 4 * 4096L * 4096L) {
        long next = (x * x - y * y) / 4096 + cx;
        y = 2 * x * y / 4096 + cy;
        x = next;
        n++;
    }
    return n;
}

static void *worker(void *arg)
{
    long row = (long)arg;
    int counts[9] = {0};
    for (int column = 0; column < 4; column++) {
        int n = escape(column * 2000 - 6000, row * 2000 - 2000);
        image[row][column] = n;
        counts[n]++;
    }
    pthread_mutex_lock(&lock);
    for (int n = 0; n < 9; n++)
        histogram[n] += counts[n];
    pthread_mutex_unlock(&lock);
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
