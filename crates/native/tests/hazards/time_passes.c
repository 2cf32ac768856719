// finds: nothing
// Clocks are those of the run: they go on, and begin where they began.
#include <assert.h>
#include <pthread.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void *work(void *unused)
{
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    usleep(2000);
    clock_gettime(CLOCK_MONOTONIC, &after);
    long passed = (after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec;
    assert(passed >= 2000000);
    return unused;
}

int main(void)
{
    pthread_t thread;
    time_t start = time(0);
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(time(0) - start < 5);
    return 0;
}
