#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *run(void *argument) {
    printf("%s\n", (char *)argument);
    exit(7);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, "leaving");
    pthread_join(thread, NULL);
    puts("not reached");
    return 0;
}
