// finds: nothing
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int recovered;

static void *dies(void *unused) {
    assert(pthread_mutex_lock(&mutex) == 0);
    return unused;
}

static void *recovers(void *unused) {
    int result = pthread_mutex_lock(&mutex);
    assert(result == 0 || result == EOWNERDEAD);
    if (result == EOWNERDEAD) {
        assert(pthread_mutex_consistent(&mutex) == 0);
        recovered++;
    }
    assert(pthread_mutex_consistent(&mutex) == EINVAL);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    return unused;
}

int main(void) {
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setprotocol(&robust, PTHREAD_PRIO_INHERIT);
    assert(pthread_mutex_init(&mutex, &robust) == 0);
    pthread_t other, last;
    pthread_create(&other, 0, recovers, 0);
    pthread_create(&last, 0, dies, 0);
    pthread_join(last, 0);
    pthread_join(other, 0);
    recovers(0);
    assert(recovered == 1);
    return 0;
}
