// finds: deadlock
// A thread reads from a pipe to which nobody writes, in one order.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int ends[2];
static atomic_int late;

static void *produce(void *unused)
{
    if (!late)
        write(ends[1], "", 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;
    pipe(ends);
    pthread_create(&thread, 0, produce, 0);
    late = 1;
    read(ends[0], &byte, 1);
    pthread_join(thread, 0);
    return 0;
}
