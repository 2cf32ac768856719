#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static int n_serial, inside[3];

static void *meet(void *argument) {
    for (int round = 0; round < 3; round++) {
        int result = pthread_barrier_wait(&barrier);
        pthread_spin_lock(&spin);
        inside[round]++;
        n_serial += result == PTHREAD_BARRIER_SERIAL_THREAD;
        n_serial += 100 * (result != 0 && result != PTHREAD_BARRIER_SERIAL_THREAD);
        pthread_spin_unlock(&spin);
    }
    return argument;
}

static void *try_spin(void *argument) {
    printf("%d\n", pthread_spin_trylock(&spin) == EBUSY);
    return argument;
}

int main(void) {
    pthread_barrierattr_t attr;
    pthread_t threads[3];
    int value;
    printf("%d ", pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
    printf("%d ", pthread_barrier_init(&barrier, NULL, 1));
    printf("%d ", pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    printf("%d ", pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    printf("%d\n", pthread_barrier_destroy(&barrier));
    printf("%d ", pthread_barrierattr_init(&attr));
    pthread_barrierattr_getpshared(&attr, &value);
    printf("%d ", value == PTHREAD_PROCESS_PRIVATE);
    printf("%d ", pthread_barrierattr_setpshared(&attr, 5) == EINVAL);
    printf("%d ", pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
    pthread_barrierattr_getpshared(&attr, &value);
    printf("%d ", value == PTHREAD_PROCESS_SHARED);
    printf("%d ", pthread_barrier_init(&barrier, &attr, 3));
    printf("%d\n", pthread_barrierattr_destroy(&attr));
    printf("%d\n", pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, meet, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d %d\n", n_serial, inside[0], inside[1], inside[2]);
    printf("%d\n", pthread_barrier_destroy(&barrier));
    printf("%d ", pthread_spin_trylock(&spin));
    pthread_create(&threads[0], NULL, try_spin, NULL);
    pthread_join(threads[0], NULL);
    printf("%d ", pthread_spin_unlock(&spin));
    printf("%d\n", pthread_spin_destroy(&spin));
    return 0;
}
