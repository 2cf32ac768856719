// Monte Carlo pricing: results are collected under a lock, a counter of progress is not in the result.
// The counter makes cycles of conflicts, but neither a branch nor the result depends on it.
// focus: total
// expect: serializable
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total;
int progress;

static int price(int seed)
{
    int value = seed;
    for (int i = 0; i < 4; i++)
        value = value * 7 + i;
    return value % 100;
}

static void *worker(void *arg)
{
    int i = (int)(long)arg;
    pthread_mutex_lock(&lock);
    progress = progress + 1;
    pthread_mutex_unlock(&lock);
    int value = price(i);
    pthread_mutex_lock(&lock);
    progress = progress + 1;
    total = total + value;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
