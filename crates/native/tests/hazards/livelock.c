// finds: livelock
// Two threads give way to each other for ever, once both want to go.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2];

static void *enter(void *unused)
{
    int me = unused != 0;
    wants[me] = 1;
    while (wants[1 - me]) {
    }
    wants[me] = 0;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, enter, &thread);
    enter(0);
    pthread_join(thread, 0);
    return 0;
}
