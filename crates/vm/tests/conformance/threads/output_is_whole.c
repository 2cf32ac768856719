#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next = PTHREAD_COND_INITIALIZER;
static int turn;

static void *run(void *argument) {
    int me = *(int *)argument;
    pthread_mutex_lock(&mutex);
    while (turn != me)
        pthread_cond_wait(&next, &mutex);
    flockfile(stdout);
    printf("thread %d: ", me);
    fputs("two parts\n", stdout);
    funlockfile(stdout);
    turn++;
    pthread_cond_broadcast(&next);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int numbers[3] = {2, 0, 1};
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, &numbers[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", ftrylockfile(stdout));
    funlockfile(stdout);
    return 0;
}
