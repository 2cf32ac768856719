// The thread that is made last has to come before the one that is made first, and a third between them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stage, n;

static void *work(void *place)
{
    int me = *(int *)place;
    n++;
    if (me == N_THREADS - 1)
        stage = 1;
    else if (me == N_THREADS / 2 && stage == 1)
        stage = 2;
    else if (me == 0)
        assert(stage != 2);
    n++;
    return 0;
}

int main(void)
{
    pthread_t threads[N_THREADS];
    int places[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        places[i] = i;
        pthread_create(&threads[i], 0, work, &places[i]);
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
