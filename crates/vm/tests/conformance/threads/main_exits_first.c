#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t first;

static void last_words(void) {
    puts("at exit");
}

static void *run(void *argument) {
    (void)argument;
    void *result;
    printf("%d\n", pthread_join(first, &result));
    printf("%s\n", (char *)result);
    return NULL;
}

int main(void) {
    pthread_t thread;
    atexit(last_words);
    first = pthread_self();
    pthread_create(&thread, NULL, run, NULL);
    pthread_detach(thread);
    pthread_exit("main is gone");
}
