#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t sem;

static int failed(int result, int error) {
    int right = result == -1 && errno == error;
    errno = 0;
    return right;
}

static void *post_three(void *argument) {
    for (int i = 0; i < 3; i++)
        sem_post(&sem);
    return argument;
}

int main(void) {
    struct timespec past = {0, 0}, invalid = {0, 1000000000};
    pthread_t thread;
    int value;
    printf("%d\n", failed(sem_init(&sem, 0, (unsigned)SEM_VALUE_MAX + 1), EINVAL));
    printf("%d ", sem_init(&sem, 0, SEM_VALUE_MAX));
    printf("%d ", failed(sem_post(&sem), EOVERFLOW));
    sem_getvalue(&sem, &value);
    printf("%d\n", value == SEM_VALUE_MAX);
    sem_destroy(&sem);
    printf("%d ", sem_init(&sem, 1, 1));
    printf("%d ", sem_timedwait(&sem, &invalid));
    printf("%d ", failed(sem_timedwait(&sem, &past), ETIMEDOUT));
    printf("%d ", failed(sem_timedwait(&sem, &invalid), EINVAL));
    printf("%d ", failed(sem_clockwait(&sem, CLOCK_MONOTONIC, &past), ETIMEDOUT));
    printf("%d\n", failed(sem_trywait(&sem), EAGAIN));
    pthread_create(&thread, NULL, post_three, NULL);
    for (int i = 0; i < 2; i++)
        printf("%d ", sem_wait(&sem));
    pthread_join(thread, NULL);
    sem_getvalue(&sem, &value);
    printf("%d %d\n", value, sem_destroy(&sem));
    return 0;
}
