#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *run(void *argument) {
    for (int i = 0; i < *(int *)argument; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    int rounds = 50;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, run, &rounds);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", counter);
    printf("%d\n", pthread_mutex_destroy(&mutex));
    return 0;
}
