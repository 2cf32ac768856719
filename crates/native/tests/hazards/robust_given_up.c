// finds: assertion
// says: cannot be taken any more
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *dies(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

static void *forgets_to_recover(void *unused) {
    int result = pthread_mutex_trylock(&mutex);
    if (result == 0 || result == EOWNERDEAD)
        pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &robust);
    pthread_t first, second;
    pthread_create(&first, 0, dies, 0);
    pthread_create(&second, 0, forgets_to_recover, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    int result = pthread_mutex_lock(&mutex);
    assert(result != ENOTRECOVERABLE && "cannot be taken any more");
    assert(result == 0 || result == EOWNERDEAD);
    return 0;
}
