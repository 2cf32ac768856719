#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int calls, value;

static void initialise(void) {
    calls++;
    value = 42;
}

static void *run(void *argument) {
    int *seen = argument;
    pthread_once(&once, initialise);
    *seen = value;
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int seen[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, &seen[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d %d\n", calls, seen[0], seen[1], seen[2]);
    printf("%d %d\n", pthread_once(&once, initialise), calls);
    return 0;
}
