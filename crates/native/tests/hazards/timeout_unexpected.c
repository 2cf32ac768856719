// finds: assertion
// Who believes that ten seconds are always enough is wrong.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t done;

static void *work(void *unused)
{
    sem_post(&done);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until;
    sem_init(&done, 0, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    pthread_create(&thread, 0, work, 0);
    assert(sem_timedwait(&done, &until) == 0);
    pthread_join(thread, 0);
    return 0;
}
