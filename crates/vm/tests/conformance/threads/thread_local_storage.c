#include <pthread.h>
#include <stdio.h>

static _Thread_local int counter = 5;
static __thread const char *name = "nobody";
static _Thread_local int array[3];

static void *run(void *argument) {
    name = argument;
    for (int i = 0; i < 3; i++)
        array[i] = ++counter;
    printf("%s %d %d\n", name, counter, array[0]);
    return NULL;
}

int main(void) {
    pthread_t thread;
    counter = 100;
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, run, i ? "second" : "first");
        pthread_join(thread, NULL);
    }
    printf("%s %d %d\n", name, counter, array[2]);
    return 0;
}
