/* semaphore_peek_fixed: two guests take the last place in a car park if they can, or go away.
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
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>

#define N_GUESTS 2

static sem_t places;
static bool parked[N_GUESTS]; /* parked[i] belongs to guest i until the join */

static bool park(void)
{
    return sem_trywait(&places) == 0;
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
