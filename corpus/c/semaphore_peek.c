/* semaphore_peek: two guests take the last place in a car park if there is one, or go away.
 *
 * threads:  3
 * bug:      a guest looks whether there is a place and then waits for one, which is gone by then
 * kinds:    atomicity, deadlock
 * predict:  none
 * bound:    1
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main  there is one place; creates ann and ben, blocks in the join of ann
 *   ann   park: there is one place
 *         -- preemption 1 --
 *   ben   park: there is one place, takes it; exits
 *   ann   waits for a place: nobody can go on
 */

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>

#define N_GUESTS 2

static sem_t places;
static bool parked[N_GUESTS]; /* parked[i] belongs to guest i until the join */

static bool park(void)
{
    int n_places = 0;

    sem_getvalue(&places, &n_places);
    if (n_places == 0)
        return false;
    sem_wait(&places);
    return true;
}

static void *visit(void *result)
{
    *(bool *)result = park();
    return NULL;
}

int main(void)
{
    pthread_t guests[N_GUESTS];
    int n_parked = 0;

    sem_init(&places, 0, 1);
    for (int i = 0; i < N_GUESTS; i++)
        pthread_create(&guests[i], NULL, visit, &parked[i]);
    for (int i = 0; i < N_GUESTS; i++) {
        pthread_join(guests[i], NULL);
        n_parked += parked[i];
    }

    assert(n_parked == 1);
    sem_destroy(&places);
    return 0;
}
