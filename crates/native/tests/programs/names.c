// expect: exited 0
// flags: -D_GNU_SOURCE
// Each thread has the name that it was given, a detached one as well.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int has_begun[3];

static void *thread(void *argument) {
    has_begun[(long)argument] = 1;
    char name[16], found[16];
    if ((long)argument == 1)
        pthread_detach(pthread_self());
    snprintf(name, sizeof name, "worker %d", (int)(long)argument);
    assert(pthread_setname_np(pthread_self(), name) == 0);
    sched_yield();
    assert(pthread_getname_np(pthread_self(), found, sizeof found) == 0);
    assert(strcmp(name, found) == 0);
    assert(pthread_setname_np(pthread_self(), "a name that is too long") == ERANGE);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    pthread_join(threads[0], NULL);
    pthread_join(threads[2], NULL);
    assert(has_begun[0] && has_begun[2]);
    return 0;
}
