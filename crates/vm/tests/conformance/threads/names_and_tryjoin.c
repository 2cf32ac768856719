#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t gate;

static void *run(void *argument) {
    sem_wait(&gate);
    return argument;
}

int main(void) {
    pthread_t thread;
    char name[16];
    void *result;
    struct timespec past = {0, 0};
    sem_init(&gate, 0, 0);
    pthread_create(&thread, NULL, run, "ended");
    printf("%d ", pthread_setname_np(thread, "worker"));
    pthread_getname_np(thread, name, sizeof name);
    printf("%s\n", name);
    printf("%d\n", pthread_setname_np(thread, "a name that is too long") == ERANGE);
    printf("%d\n", pthread_tryjoin_np(thread, &result) == EBUSY);
    printf("%d\n", pthread_timedjoin_np(thread, &result, &past) == ETIMEDOUT);
    sem_post(&gate);
    printf("%d ", pthread_join(thread, &result));
    puts(result);
    return 0;
}
