// expect: exited 0
// flags: -D_GNU_SOURCE
// Joining without waiting, and not for ever.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t go;

static void *thread(void *unused) {
    sem_wait(&go);
    return (void *)3;
}

int main(void) {
    pthread_t first, second;
    void *result;
    struct timespec until;
    sem_init(&go, 0, 0);
    pthread_create(&first, NULL, thread, NULL);
    pthread_create(&second, NULL, thread, NULL);
    assert(pthread_tryjoin_np(first, &result) == EBUSY);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    assert(pthread_timedjoin_np(first, &result, &until) == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 1;
    assert(pthread_clockjoin_np(first, &result, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
    sem_post(&go);
    sem_post(&go);
    assert(pthread_timedjoin_np(first, &result, NULL) == 0 && result == (void *)3);
    int error;
    while ((error = pthread_tryjoin_np(second, &result)) == EBUSY)
        sched_yield();
    assert(error == 0 && result == (void *)3);
    return 0;
}
