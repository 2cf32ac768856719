// finds: invalid-free
// Two threads free what both think is theirs.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) shared;

static void *drop(void *unused)
{
    char *mine = shared;
    if (mine) {
        shared = 0;
        free(mine);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    shared = malloc(10);
    pthread_create(&thread, 0, drop, 0);
    drop(0);
    pthread_join(thread, 0);
    return 0;
}
