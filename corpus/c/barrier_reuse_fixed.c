/* barrier_reuse_fixed: two threads work in two phases, with a barrier that counts its rounds.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * predict:  none
 * bound:    -
 * verdict:  clean
 */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define N_THREADS 2
#define N_PHASES 2

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t all_here;
    int n_arrived; /* guarded by mutex, as is n_rounds */
    int n_rounds;
} barrier = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static int phases[N_THREADS]; /* phases[i] belongs to thread i, others read it behind a barrier */

static void meet(void)
{
    pthread_mutex_lock(&barrier.mutex);
    barrier.n_arrived++;
    if (barrier.n_arrived == N_THREADS) {
        barrier.n_arrived = 0;
        barrier.n_rounds++;
        pthread_cond_broadcast(&barrier.all_here);
    } else {
        int round = barrier.n_rounds;
        while (barrier.n_rounds == round)
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
