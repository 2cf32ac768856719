#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn, arrived;

static void *wait_turn(void *argument) {
    pthread_mutex_lock(&mutex);
    arrived++;
    pthread_cond_broadcast(&cond);
    while (!turn)
        pthread_cond_wait(&cond, &mutex);
    arrived--;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    static const struct timespec past, invalid = {1, 1000000000}, negative = {1, -1};
    pthread_t threads[3];
    pthread_condattr_t attr;
    pthread_cond_t monotonic;
    clockid_t clock;
    int shared;
    printf("%d %d\n", pthread_cond_signal(&cond), pthread_cond_broadcast(&cond));
    pthread_mutex_lock(&mutex);
    printf("%d ", pthread_cond_timedwait(&cond, &mutex, &past) == ETIMEDOUT);
    printf("%d ", pthread_cond_timedwait(&cond, &mutex, &invalid) == EINVAL);
    printf("%d ", pthread_cond_timedwait(&cond, &mutex, &negative) == EINVAL);
    printf("%d ", pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    printf("%d\n", pthread_mutex_trylock(&mutex) == EBUSY);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, wait_turn, NULL);
    while (arrived < 3)
        pthread_cond_wait(&cond, &mutex);
    turn = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d\n", arrived, pthread_cond_destroy(&cond));
    printf("%d ", pthread_condattr_init(&attr));
    printf("%d ", pthread_condattr_getclock(&attr, &clock));
    printf("%d ", clock == CLOCK_REALTIME);
    printf("%d ", pthread_condattr_setclock(&attr, CLOCK_PROCESS_CPUTIME_ID) == EINVAL);
    printf("%d ", pthread_condattr_setclock(&attr, CLOCK_MONOTONIC));
    pthread_condattr_getclock(&attr, &clock);
    printf("%d ", clock == CLOCK_MONOTONIC);
    printf("%d ", pthread_condattr_setpshared(&attr, 7) == EINVAL);
    pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_condattr_getpshared(&attr, &shared);
    pthread_condattr_getclock(&attr, &clock);
    printf("%d %d\n", shared == PTHREAD_PROCESS_SHARED, clock == CLOCK_MONOTONIC);
    printf("%d ", pthread_cond_init(&monotonic, &attr));
    pthread_mutex_lock(&mutex);
    printf("%d ", pthread_cond_timedwait(&monotonic, &mutex, &past) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    printf("%d %d\n", pthread_cond_destroy(&monotonic), pthread_condattr_destroy(&attr));
    return 0;
}
