/* dining_philosophers_fixed: N philosophers take the fork with the smaller number first.
 *
 * threads:  5
 * bug:      none
 * kinds:    none
 * predict:  none
 * bound:    -
 * verdict:  clean
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
    int first = left < right ? left : right;
    int second = left < right ? right : left;

    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    meals[left]++;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
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
