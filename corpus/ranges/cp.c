/* Two producers and consumers take turns at a few counters under one lock; N rounds each.
   With -DN=1, 5, 25 it has about as many accesses as cp1, cp2, cp3 of Ganai and Wang. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 1
#endif

static int items, produced, consumed;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *produce(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
        items = items + 1;
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
        produced = produced + 1;
        pthread_mutex_unlock(&m);
        produced = produced + items;
        items = items + 1;
    }
    return unused;
}

static void *consume(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
        items = items - 1;
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
        consumed = consumed + 1;
        pthread_mutex_unlock(&m);
        consumed = consumed + items;
        items = items - 1;
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, produce, 0);
    pthread_create(&b, 0, consume, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(items == 0);
    return produced + consumed > 1000000;
}
