/* dining_philosophers: N philosophers take their left fork, then their right fork, and eat once.
 *
 * threads:  5
 * bug:      if each philosopher holds the left fork, all wait for the right one forever
 * kinds:    deadlock
 * predict:  deadlock
 * bound:    1
 * verdict:  fails
 */

/* One preemption is enough for any N: the others block while they wait for a fork, which is free.
 * A failing interleaving for N = 4; philosopher i has fork i to the left and i + 1 to the right:
 *
 *   main   creates all, blocks in the join of 0
 *   0      takes fork 0
 *          -- preemption 1 --
 *   3      takes fork 3, blocks on fork 0
 *   2      takes fork 2, blocks on fork 3
 *   1      takes fork 1, blocks on fork 2
 *   0      blocks on fork 1: nobody can go on
 */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 4
#endif

static pthread_mutex_t forks[N];
static int seats[N];
static int meals[N]; /* meals[i] belongs to philosopher i until the join */

static void *philosopher(void *seat)
{
    int left = *(int *)seat;
    int right = (left + 1) % N;

    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    meals[left]++;
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void)
{
    pthread_t philosophers[N];

    for (int i = 0; i < N; i++) {
        pthread_mutex_init(&forks[i], NULL);
        seats[i] = i;
    }
    for (int i = 0; i < N; i++)
        pthread_create(&philosophers[i], NULL, philosopher, &seats[i]);
    for (int i = 0; i < N; i++)
        pthread_join(philosophers[i], NULL);

    for (int i = 0; i < N; i++)
        assert(meals[i] == 1);
    return 0;
}
