// A reduction by compare-and-swap (S1, Fig. 1): each thread retries until its update was made.
// focus: x
// expect: inferred
// if(*): 17-22
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_int x;

static void *iteration(void *arg)
{
    int i = (int)(long)arg;
    bool done = false;
    while (!done) {
        int prev = atomic_load(&x);
        int curr = i * prev + i;
        bool c = atomic_compare_exchange_strong(&x, &prev, curr);
        if (c) {
            done = true;
        }
    }
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, iteration, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    int all = atomic_load(&x);
    assert(all == 15 || all == 14 || all == 12 || all == 10 || all == 9);
    return 0;
}
