#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go, ready;
static int n_ready, released, n_done;

static void *run(void *argument) {
    (void)argument;
    pthread_mutex_lock(&mutex);
    n_ready++;
    pthread_cond_signal(&ready);
    while (!released)
        pthread_cond_wait(&go, &mutex);
    n_done++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    printf("%d %d\n", pthread_cond_init(&go, NULL), pthread_cond_init(&ready, NULL));
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    pthread_mutex_lock(&mutex);
    while (n_ready < 4)
        pthread_cond_wait(&ready, &mutex);
    printf("%d ready, %d done\n", n_ready, n_done);
    released = 1;
    pthread_cond_broadcast(&go);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d done\n", n_done);
    return 0;
}
