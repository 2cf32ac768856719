#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;

static void *run(void *argument) {
    (void)argument;
    printf("%d\n", pthread_mutex_unlock(&mutex) == EPERM);
    printf("%d\n", pthread_mutex_trylock(&mutex) == EBUSY);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_t thread;
    pthread_mutexattr_init(&attr);
    printf("%d\n", pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK));
    pthread_mutex_init(&mutex, &attr);
    pthread_mutexattr_destroy(&attr);
    printf("%d\n", pthread_mutex_unlock(&mutex) == EPERM);
    printf("%d\n", pthread_mutex_lock(&mutex));
    printf("%d\n", pthread_mutex_lock(&mutex) == EDEADLK);
    printf("%d\n", pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", pthread_mutex_unlock(&mutex));
    printf("%d\n", pthread_mutex_unlock(&mutex) == EPERM);
    printf("%d\n", pthread_mutex_destroy(&mutex));
    return 0;
}
