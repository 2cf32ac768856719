// finds: abort
// `abort`, in one order of two.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int ready;

static void *look(void *unused)
{
    if (ready)
        abort();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    ready = 1;
    pthread_join(thread, 0);
    return 0;
}
