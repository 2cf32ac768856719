#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;

static void *run(void *argument) {
    (void)argument;
    int error = pthread_mutex_trylock(&mutex);
    printf("other %d\n", error == EBUSY);
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
    pthread_mutex_init(&mutex, NULL);
    printf("%d\n", pthread_mutex_trylock(&mutex));
    printf("%d\n", pthread_mutex_trylock(&mutex) == EBUSY);
    other();
    printf("%d\n", pthread_mutex_unlock(&mutex));
    other();
    printf("%d\n", pthread_mutex_lock(&mutex));
    printf("%d\n", pthread_mutex_unlock(&mutex));
    printf("%d\n", pthread_mutex_destroy(&mutex));
    return 0;
}
