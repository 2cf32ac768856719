// All threads but one guard a value by one lock, that one by another.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
static volatile int value;

static void *look(void *unused)
{
    pthread_mutex_lock(&right);
    int seen = value;
    pthread_mutex_unlock(&right);
    pthread_mutex_lock(&right);
    assert(value >= seen);
    pthread_mutex_unlock(&right);
    return unused;
}

static void *change(void *unused)
{
    pthread_mutex_lock(&wrong);
    value = 2;
    value = 1;
    pthread_mutex_unlock(&wrong);
    return unused;
}

int main(void)
{
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], 0, i == N_THREADS / 2 ? change : look, 0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
