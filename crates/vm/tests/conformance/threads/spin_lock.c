#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_spinlock_t lock;
static int counter;

static void *run(void *argument) {
    for (int i = 0; i < 25; i++) {
        pthread_spin_lock(&lock);
        counter++;
        pthread_spin_unlock(&lock);
    }
    return argument;
}

int main(void) {
    pthread_t threads[3];
    printf("%d\n", pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
    printf("%d\n", pthread_spin_trylock(&lock));
    printf("%d\n", pthread_spin_trylock(&lock) == EBUSY);
    printf("%d\n", pthread_spin_unlock(&lock));
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d\n", counter, pthread_spin_destroy(&lock));
    return 0;
}
