// finds: nothing
// A wait that may end by time, and does so rightly.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *set(void *unused)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec before, until, after;
    int result = 0;
    clock_gettime(CLOCK_REALTIME, &before);
    until = (struct timespec){before.tv_sec + 5, before.tv_nsec};
    pthread_create(&thread, 0, set, 0);
    pthread_mutex_lock(&mutex);
    while (!ready && result == 0)
        result = pthread_cond_timedwait(&changed, &mutex, &until);
    clock_gettime(CLOCK_REALTIME, &after);
    assert(result == 0 || result == ETIMEDOUT && after.tv_sec >= until.tv_sec);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
