#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static struct timespec soon(clockid_t clock) {
    struct timespec at;
    clock_gettime(clock, &at);
    at.tv_nsec += 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    return at;
}

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER, monotonic;
    pthread_condattr_t attr;
    clockid_t clock;
    pthread_condattr_init(&attr);
    printf("%d ", pthread_condattr_setclock(&attr, CLOCK_MONOTONIC));
    pthread_condattr_getclock(&attr, &clock);
    printf("%d\n", clock == CLOCK_MONOTONIC);
    pthread_cond_init(&monotonic, &attr);
    pthread_mutex_lock(&mutex);
    struct timespec at = soon(CLOCK_REALTIME);
    int error;
    while (!(error = pthread_cond_timedwait(&cond, &mutex, &at))) {
    }
    printf("%d\n", error == ETIMEDOUT);
    at = soon(CLOCK_MONOTONIC);
    while (!(error = pthread_cond_timedwait(&monotonic, &mutex, &at))) {
    }
    printf("%d\n", error == ETIMEDOUT);
    at.tv_nsec = -1;
    printf("%d\n", pthread_cond_timedwait(&cond, &mutex, &at) == EINVAL);
    printf("%d\n", pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_mutex_unlock(&mutex);
    return 0;
}
