#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument) {
    struct timespec at;
    (void)argument;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += 2000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    printf("%d\n", pthread_mutex_timedlock(&mutex, &at) == ETIMEDOUT);
    at.tv_nsec = 1000000000;
    printf("%d\n", pthread_mutex_timedlock(&mutex, &at) == EINVAL);
    at.tv_nsec = 0;
    at.tv_sec = 0;
    printf("%d\n", pthread_mutex_timedlock(&mutex, &at) == ETIMEDOUT);
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct timespec past = {0, 0};
    printf("%d\n", pthread_mutex_timedlock(&mutex, &past));
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    return pthread_mutex_unlock(&mutex);
}
