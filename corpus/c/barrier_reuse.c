/* barrier_reuse: two threads work in two phases, with a barrier of their own after each.
 *
 * threads:  3
 * bug:      who wakes late sees that another thread arrived at the next barrier and waits on
 * kinds:    deadlock
 * predict:  none
 * bound:    0
 * verdict:  fails
 */

/* A failing interleaving without any preemption:
 *
 *   main  creates ann and ben, blocks in the join of ann
 *   ann   phase 0; barrier: n_arrived 0 -> 1, waits
 *   ben   phase 0; barrier: n_arrived 1 -> 2, the last one: n_arrived = 0, broadcasts;
 *         phase 1; barrier: n_arrived 0 -> 1, waits
 *   ann   wakes: n_arrived is not 0, waits again
 *         both wait for the other one: nobody can go on
 */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define N_THREADS 2
#define N_PHASES 2

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t all_here;
    int n_arrived; /* guarded by mutex */
} barrier = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static int phases[N_THREADS]; /* phases[i] belongs to thread i, others read it behind a barrier */

static void meet(void)
{
    pthread_mutex_lock(&barrier.mutex);
    barrier.n_arrived++;
    if (barrier.n_arrived == N_THREADS) {
        barrier.n_arrived = 0;
        pthread_cond_broadcast(&barrier.all_here);
    } else {
        while (barrier.n_arrived != 0)
            pthread_cond_wait(&barrier.all_here, &barrier.mutex);
    }
    pthread_mutex_unlock(&barrier.mutex);
}

static void *work(void *phase)
{
    for (int i = 0; i < N_PHASES; i++) {
        ++*(int *)phase;
        meet();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N_THREADS];

    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, work, &phases[i]);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);

    for (int i = 0; i < N_THREADS; i++)
        assert(phases[i] == N_PHASES);
    return 0;
}
