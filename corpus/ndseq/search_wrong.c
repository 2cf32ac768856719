// Branch and bound: whether a solution is better is looked at outside of the lock that guards the best
// one, so a worse one can replace a better one.
// focus: best
// expect: none
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int best = 1000;
static const int costs[3][2] = {{40, 12}, {35, 11}, {50, 13}};

static int read_best(void)
{
    pthread_mutex_lock(&lock);
    int value = best;
    pthread_mutex_unlock(&lock);
    return value;
}

static void update(int cost)
{
    int known = read_best();
    if (cost < known) {
        pthread_mutex_lock(&lock);
        best = cost;
        pthread_mutex_unlock(&lock);
    }
}

static void *worker(void *arg)
{
    long i = (long)arg;
    for (int k = 0; k < 2; k++)
        update(costs[i][k]);
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
