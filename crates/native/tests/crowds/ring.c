// Threads in rings of three take their own lock and that of the next one. In the first ring all do so in
// the order of the ring: it fails only if each of the three is stopped between the two.
#include <pthread.h>

enum { N_RING = 3 };

static pthread_mutex_t locks[N_THREADS];

static void *take(void *place)
{
    int me = *(int *)place;
    int ring = me / N_RING * N_RING;
    int next = ring + (me - ring + 1) % N_RING;
    if (me >= N_RING && next < me) { // Only the first ring is one.
        int swap = me;
        me = next;
        next = swap;
    }
    pthread_mutex_lock(&locks[me]);
    pthread_mutex_lock(&locks[next]);
    pthread_mutex_unlock(&locks[next]);
    pthread_mutex_unlock(&locks[me]);
    return 0;
}

int main(void)
{
    pthread_t threads[N_THREADS];
    int places[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        pthread_mutex_init(&locks[i], 0);
    for (int i = 0; i < N_THREADS / N_RING * N_RING; i++) {
        places[i] = i;
        pthread_create(&threads[i], 0, take, &places[i]);
    }
    for (int i = 0; i < N_THREADS / N_RING * N_RING; i++)
        pthread_join(threads[i], 0);
    return 0;
}
