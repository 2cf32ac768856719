// Monte Carlo approximation of pi: each thread counts for itself and adds its count under a lock.
// focus: inside
// expect: serializable
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long inside;

static void *worker(void *arg)
{
    unsigned seed = (unsigned)(long)arg + 1;
    long count = 0;
    for (int i = 0; i < 20; i++) {
        seed = seed * 1103515245u + 12345u;
        long x = seed >> 16 & 255;
        seed = seed * 1103515245u + 12345u;
        long y = seed >> 16 & 255;
        if (x * x + y * y < 256 * 256)
            count++;
    }
    pthread_mutex_lock(&lock);
    inside += count;
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
