// expect: exited 0
// output: 5
// Nobody is a round ahead, and exactly one thread of a round is told apart. It may reuse the
// barrier's memory at once after the last round.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { N = 3, ROUNDS = 5 };
static pthread_barrier_t barrier, early;
static int at[N], n_serial;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void before_main(void) {
    pthread_barrier_init(&early, NULL, N);
}

static void *thread(void *argument) {
    int me = (int)(long)argument;
    pthread_barrier_wait(&early);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&mutex);
        at[me] = round;
        for (int i = 0; i < N; i++)
            assert(at[i] == round || at[i] == round - 1 || round == 0);
        pthread_mutex_unlock(&mutex);
        int result = pthread_barrier_wait(&barrier);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD) {
            n_serial++;
            if (round == ROUNDS - 1) {
                pthread_barrier_destroy(&barrier);
                pthread_barrier_init(&barrier, NULL, 1);
            }
        } else {
            assert(result == 0);
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    pthread_barrier_init(&barrier, NULL, N);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    printf("%d\n", n_serial);
    return 0;
}
