// finds: nothing
// Mutexes of these kinds look who unlocks them.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int n;

static void *hold(void *unused)
{
    pthread_mutex_lock(&checking);
    pthread_mutex_lock(&recursive);
    n++;
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&checking);
    return unused;
}

static void *unlock(void *unused)
{
    int one = pthread_mutex_unlock(&checking), other = pthread_mutex_unlock(&recursive);
    assert(one == EPERM && other == EPERM);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, hold, 0);
    pthread_create(&threads[1], 0, unlock, 0);
    pthread_create(&threads[2], 0, hold, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    assert(n == 2);
    return 0;
}
