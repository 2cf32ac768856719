#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS 3
#define PHASES 4

static pthread_barrier_t barrier;
static int values[PHASES][THREADS], serial, wrong;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument) {
    int me = *(int *)argument;
    for (int phase = 0; phase < PHASES; phase++) {
        values[phase][me] = phase * 10 + me;
        int result = pthread_barrier_wait(&barrier);
        pthread_mutex_lock(&mutex);
        serial += result == PTHREAD_BARRIER_SERIAL_THREAD;
        for (int i = 0; i < THREADS; i++)
            wrong += values[phase][i] != phase * 10 + i;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int numbers[THREADS];
    printf("%d\n", pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
    printf("%d\n", pthread_barrier_init(&barrier, NULL, THREADS));
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, run, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d\n", serial, wrong, pthread_barrier_destroy(&barrier));
    return 0;
}
