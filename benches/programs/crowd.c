// A hundred threads that each take a lock once.
#include <pthread.h>
#include <stdio.h>

enum { N_THREADS = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n_seen;

static void *visit(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    n_seen++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, visit, NULL);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    return n_seen != N_THREADS;
}
