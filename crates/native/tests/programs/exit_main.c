// expect: exited 0
// output: ends
// The main thread ends first and can be joined; the process ends with the last thread.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t first;

static void at_exit(void) { puts("ends"); }

static void *second(void *unused) { return NULL; }

static void *thread(void *unused) {
    void *result;
    assert(pthread_join(first, &result) == 0);
    assert(result == (void *)5);
    pthread_t other;
    pthread_create(&other, NULL, second, NULL);
    pthread_detach(other);
    return NULL;
}

int main(void) {
    pthread_t other;
    first = pthread_self();
    atexit(at_exit);
    pthread_create(&other, NULL, thread, NULL);
    pthread_exit((void *)5);
}
