// Threads compute for long, publish rows that others do not write, and add to a sum by
// compare-and-swap: some 1,000,000 events with WORK=6600.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef WORK
#define WORK 6600
#endif
#define THREADS 8

atomic_long sum;
static long rows[THREADS][16];
static long scratch[THREADS][64];

static long compute(long i)
{
    long value = i + 1;
    for (long k = 0; k < WORK; k++) {
        value = value * 31 + k;
        scratch[i][k & 63] = value;
        if (value & 1)
            rows[i][k & 15] += scratch[i][(k + 7) & 63] & 255;
    }
    return value & 1023;
}

static void *worker(void *arg)
{
    long i = (long)arg;
    long mine = compute(i);
    bool done = false;
    while (!done) {
        long old = atomic_load(&sum);
        long next = old + mine;
        if (atomic_compare_exchange_strong(&sum, &old, next))
            done = true;
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
