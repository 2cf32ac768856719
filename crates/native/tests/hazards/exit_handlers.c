// finds: assertion
// What runs at the exit belongs to the run: it can fail.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int n_done;

static void at_exit(void) { assert(n_done == 1); }

static void *work(void *unused)
{
    n_done++;
    return unused;
}

int main(void)
{
    pthread_t thread;
    atexit(at_exit);
    pthread_create(&thread, 0, work, 0);
    return 0; /* Without a join. */
}
