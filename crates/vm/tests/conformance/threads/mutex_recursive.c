#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void *run(void *argument) {
    (void)argument;
    int error = pthread_mutex_trylock(&mutex);
    printf("other %d %d\n", error == EBUSY, error == 0);
    if (!error)
        pthread_mutex_unlock(&mutex);
    return NULL;
}

static void other(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
}

int main(void) {
    printf("%d\n", pthread_mutex_lock(&mutex));
    printf("%d\n", pthread_mutex_lock(&mutex));
    printf("%d\n", pthread_mutex_trylock(&mutex));
    for (int i = 0; i < 3; i++) {
        other();
        printf("%d\n", pthread_mutex_unlock(&mutex));
    }
    other();
    printf("%d\n", pthread_mutex_unlock(&mutex) == EPERM);
    return 0;
}
