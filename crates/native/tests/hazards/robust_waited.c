// finds: assertion
// says: given up by waiting
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *dies(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

static int waits(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    return pthread_cond_timedwait(&never, &mutex, &until);
}

int main(void) {
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &robust);
    pthread_t thread;
    pthread_create(&thread, 0, dies, 0);
    pthread_join(thread, 0);
    assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    assert(pthread_mutex_consistent(&mutex) == 0);
    assert(waits() == ETIMEDOUT);
    assert(pthread_mutex_unlock(&mutex) == 0);

    pthread_create(&thread, 0, dies, 0);
    pthread_join(thread, 0);
    assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    assert(waits() != ENOTRECOVERABLE && "given up by waiting");
    return 0;
}
