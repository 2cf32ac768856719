#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_done;
static int n_rounds;

static void *finish(void *unused)
{
    pthread_mutex_lock(&mutex);
    is_done = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, finish, NULL);
    n_rounds = 1;
    pthread_mutex_lock(&mutex);
    if (is_done)
        n_rounds = 2;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    assert(n_rounds == 1);
    return 0;
}
