// A histogram with a mutex per bucket: two lock operations for every few accesses.
#include <pthread.h>
#include <stdio.h>

enum { N_ITEMS = 2000000, N_BUCKETS = 16, N_THREADS = 2 };

static unsigned char items[N_ITEMS];
static long buckets[N_BUCKETS];
static pthread_mutex_t locks[N_BUCKETS];

static void *count(void *part) {
    const long n = N_ITEMS / N_THREADS, first = (long)part * n;
    for (long i = first; i < first + n; i++) {
        int bucket = items[i] % N_BUCKETS;
        pthread_mutex_lock(&locks[bucket]);
        buckets[bucket]++;
        pthread_mutex_unlock(&locks[bucket]);
    }
    return NULL;
}

int main(void) {
    for (int i = 0; i < N_BUCKETS; i++) pthread_mutex_init(&locks[i], NULL);
    unsigned seed = 1;
    for (long i = 0; i < N_ITEMS; i++) {
        seed = seed * 1103515245u + 12345u;
        items[i] = seed >> 16;
    }
    pthread_t threads[N_THREADS];
    for (long t = 0; t < N_THREADS; t++) pthread_create(&threads[t], NULL, count, (void *)t);
    for (int t = 0; t < N_THREADS; t++) pthread_join(threads[t], NULL);
    long sum = 0;
    for (int i = 0; i < N_BUCKETS; i++) sum += buckets[i];
    printf("%ld\n", sum);
    return sum != N_ITEMS;
}
