#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t delivered = PTHREAD_COND_INITIALIZER;
static int ready;

static void *deliver(void *unused)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&delivered);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t postman;

    pthread_create(&postman, NULL, deliver, NULL);
    if (!ready) {
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&delivered, &mutex);
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(postman, NULL);
    return 0;
}
