// finds: nothing
// Threads that sleep until something has happened, for as long as it takes.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int done;

static void *work(void *unused)
{
    struct timespec second = {1, 0};
    nanosleep(&second, 0);
    sleep(3600);
    done = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    while (!done)
        usleep(1000);
    pthread_join(thread, 0);
    return 0;
}
