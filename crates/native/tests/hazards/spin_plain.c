// finds: race
// A flag that is no atomic one; the compiler leaves the loop as it is.
#include <pthread.h>

static volatile int ready;

static void *set(void *unused)
{
    ready = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    while (!ready) {
    }
    pthread_join(thread, 0);
    return 0;
}
