/* As in Apache's queue of connections: room is looked for, then taken, in two sections. */
#include <assert.h>
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 12
#endif
#define SLOTS 8

static int slots[SLOTS], n_used, n_lost, n_served;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *serve(void *arg) {
    int id = (int)(long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&m);
        int used = n_used;
        pthread_mutex_unlock(&m);
        slots[i % SLOTS] = id;
        pthread_mutex_lock(&m);
        n_used = used + 1;
        pthread_mutex_unlock(&m);
        if (slots[i % SLOTS] != id) {
            n_lost = n_lost + 1;
        }
        pthread_mutex_lock(&m);
        n_served = n_served + 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, serve, (void *)1);
    pthread_create(&b, 0, serve, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(n_served == 2 * ROUNDS);
    assert(n_used == 2 * ROUNDS);
    return 0;
}
