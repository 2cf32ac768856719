// finds: nothing
// Detached threads that outlive who made them.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

static void *last(void *unused)
{
    sem_post(&done);
    return unused;
}

static void *first(void *unused)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    assert(pthread_create(&thread, &attributes, last, 0) == 0);
    pthread_attr_destroy(&attributes);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&done, 0, 0);
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, 0, first, 0);
        pthread_detach(thread);
    }
    sem_wait(&done);
    sem_wait(&done);
    return 0;
}
