#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t gates[4];

static void *run(void *argument) {
    int me = *(int *)argument;
    for (int i = 0; i < 2; i++) {
        sem_wait(&gates[me]);
        printf("thread %d round %d\n", me, i);
        sem_post(&gates[(me + 1) % 4]);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    int numbers[4];
    for (int i = 0; i < 4; i++)
        sem_init(&gates[i], 0, 0);
    for (int i = 3; i >= 0; i--) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, run, &numbers[i]);
    }
    sem_post(&gates[0]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    int value;
    sem_getvalue(&gates[0], &value);
    printf("%d\n", value);
    return 0;
}
