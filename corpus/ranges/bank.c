/* Eight tellers move money between eight accounts; each account has its lock. */
#include <assert.h>
#include <pthread.h>

#ifndef TRANSFERS
#define TRANSFERS 3
#endif
#define TELLERS 8

static int balance[TELLERS] = {100, 100, 100, 100, 100, 100, 100, 100};
static int n_transfers[TELLERS], total = 100 * TELLERS;
static pthread_mutex_t lock[TELLERS];
static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;

static void *teller(void *arg) {
    int from = (int)(long)arg, to = (from + 1) % TELLERS;
    for (int i = 0; i < TRANSFERS; i++) {
        pthread_mutex_lock(&lock[from]);
        int left = balance[from];
        if (left >= 10) {
            balance[from] = left - 10;
        }
        pthread_mutex_unlock(&lock[from]);
        if (left >= 10) {
            pthread_mutex_lock(&lock[to]);
            balance[to] = balance[to] + 10;
            pthread_mutex_unlock(&lock[to]);
        }
        pthread_mutex_lock(&all);
        total = total + 0 * left;
        n_transfers[from] = n_transfers[from] + 1;
        pthread_mutex_unlock(&all);
    }
    return 0;
}

int main(void) {
    pthread_t tellers[TELLERS];
    for (long i = 0; i < TELLERS; i++) {
        pthread_mutex_init(&lock[i], 0);
    }
    for (long i = 0; i < TELLERS; i++) {
        pthread_create(&tellers[i], 0, teller, (void *)i);
    }
    for (int i = 0; i < TELLERS; i++) {
        pthread_join(tellers[i], 0);
    }
    for (int i = 0; i < TELLERS; i++) {
        assert(balance[i] >= 0);
    }
    return 0;
}
