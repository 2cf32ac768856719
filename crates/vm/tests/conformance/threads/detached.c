#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;

static sem_t may_start;

static void *run(void *argument) {
    sem_wait(&may_start);
    puts(argument);
    sem_post(&done);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attr;
    int state;
    sem_init(&done, 0, 0);
    sem_init(&may_start, 0, 1);
    pthread_attr_init(&attr);
    pthread_attr_getdetachstate(&attr, &state);
    printf("%d\n", state == PTHREAD_CREATE_JOINABLE);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_getdetachstate(&attr, &state);
    printf("%d\n", state == PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attr, run, "detached by attribute");
    sem_wait(&done);
    pthread_attr_destroy(&attr);
    pthread_create(&thread, NULL, run, "detached by call");
    printf("%d\n", pthread_detach(thread));
    sem_post(&may_start);
    sem_wait(&done);
    return 0;
}
