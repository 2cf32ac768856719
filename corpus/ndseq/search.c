// Branch and bound: looking at the best solution and replacing it are one critical section. A look
// before that saves work; it may see an old value, which only makes the search longer.
// focus: best
// expect: inferred
// if(*): 33-34
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int best = 1000;
static const int costs[3] = {40, 11, 13};

static int read_best(void)
{
    pthread_mutex_lock(&lock);
    int value = best;
    pthread_mutex_unlock(&lock);
    return value;
}

static void update(int cost)
{
    pthread_mutex_lock(&lock);
    if (cost < best)
        best = cost;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    long i = (long)arg;
    int pruned = 0;
    if (costs[i] - 5 >= read_best())
        pruned = 1;
    if (!pruned)
        update(costs[i]);
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(best == 11);
    return 0;
}
