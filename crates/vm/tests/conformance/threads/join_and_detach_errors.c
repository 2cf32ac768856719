#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t gate;
static pthread_t first;

static void *hold(void *argument) {
    sem_wait(&gate);
    return argument;
}

static void *join_first(void *argument) {
    void *result;
    int error = pthread_join(first, &result);
    printf("join %d %s\n", error, (char *)result);
    return argument;
}

int main(void) {
    static const struct timespec past;
    struct timespec soon;
    pthread_t thread;
    pthread_attr_t attr;
    void *result = NULL;
    sem_init(&gate, 0, 0);
    pthread_create(&thread, NULL, hold, "held");
    printf("%d ", pthread_tryjoin_np(thread, &result) == EBUSY);
    printf("%d ", pthread_timedjoin_np(thread, &result, &past) == ETIMEDOUT);
    printf("%d ", pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    sem_post(&gate);
    printf("%d ", pthread_timedjoin_np(thread, &result, NULL));
    printf("%s\n", (char *)result);
    pthread_create(&thread, NULL, hold, NULL);
    printf("%d ", pthread_detach(thread));
    printf("%d ", pthread_detach(thread) == EINVAL);
    printf("%d\n", pthread_join(thread, NULL) == EINVAL);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&first, &attr, hold, NULL);
    printf("%d ", pthread_join(first, NULL) == EINVAL);
    sem_post(&gate);
    sem_post(&gate);
    printf("%d ", pthread_join(pthread_self(), NULL) == EDEADLK);
    printf("%d\n", pthread_equal(pthread_self(), first) != 0);
    pthread_create(&first, NULL, hold, "first");
    pthread_create(&thread, NULL, join_first, "joiner");
    sem_post(&gate);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += 20;
    printf("%d ", pthread_timedjoin_np(thread, &result, &soon));
    puts(result);
    return 0;
}
