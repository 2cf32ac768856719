// expect: deadlock
// Nobody raises the semaphore a second time.
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *thread(void *unused) {
    sem_wait(&semaphore);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&semaphore, 0, 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
