// N_THREADS / 2 threads set one value and then, under another lock, a second one; the others look at
// both. Between the two stages of whoever comes first they do not fit.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *set(void *unused)
{
    pthread_mutex_lock(&one);
    first = 1;
    pthread_mutex_unlock(&one);
    pthread_mutex_lock(&other);
    second = first + 1;
    pthread_mutex_unlock(&other);
    return unused;
}

static void *check(void *unused)
{
    pthread_mutex_lock(&one);
    int seen = first;
    pthread_mutex_unlock(&one);
    if (seen == 0)
        return unused;
    pthread_mutex_lock(&other);
    assert(second == seen + 1);
    pthread_mutex_unlock(&other);
    return unused;
}

int main(void)
{
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], 0, i < N_THREADS / 2 ? set : check, 0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
