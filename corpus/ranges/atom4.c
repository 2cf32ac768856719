/* As in Apache's cache: an entry is looked up, and its size is added behind the lock. */
#include <assert.h>
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 12
#endif
#define ENTRIES 10

static int size[ENTRIES], total, n_hits, n_misses;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *arg) {
    int first = (int)(long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        int at = (first + i) % ENTRIES;
        pthread_mutex_lock(&m);
        int known = size[at];
        pthread_mutex_unlock(&m);
        if (known == 0) {
            pthread_mutex_lock(&m);
            size[at] = i + 1;
            pthread_mutex_unlock(&m);
            total = total + i + 1;
            n_misses = n_misses + 1;
        } else {
            n_hits = n_hits + 1;
        }
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, use, (void *)0);
    pthread_create(&b, 0, use, (void *)5);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(n_hits + n_misses == 2 * ROUNDS);
    return 0;
}
