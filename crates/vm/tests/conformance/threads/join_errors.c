#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static void *run(void *argument) {
    return argument;
}

int main(void) {
    pthread_t thread;
    printf("%d\n", pthread_join(pthread_self(), NULL) == EDEADLK);
    pthread_create(&thread, NULL, run, NULL);
    printf("%d\n", pthread_join(thread, NULL));
    return 0;
}
