/* elevator_fixed: passengers press buttons and wait, a controller clears those that it served.
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
#include <stdatomic.h>
#include <stddef.h>

#define N_FLOORS 3
#define N_PASSENGERS 2

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pressed = PTHREAD_COND_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static unsigned buttons; /* a bit per floor, guarded by mutex */
static int n_served;     /* guarded by mutex */
static atomic_int stops[N_FLOORS];

static void *ride(void *arg)
{
    int floor = *(int *)arg;
    unsigned button = 1u << floor;

    pthread_mutex_lock(&mutex);
    buttons |= button;
    pthread_cond_signal(&pressed);
    while (buttons & button)
        pthread_cond_wait(&arrived, &mutex);
    assert(stops[floor]);
    n_served++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* Goes to all floors that were asked for; the mutex is free while the elevator moves. */
static int go_round(void)
{
    pthread_mutex_lock(&mutex);
    while (!buttons)
        pthread_cond_wait(&pressed, &mutex);
    unsigned wanted = buttons;
    pthread_mutex_unlock(&mutex);

    int n_stops = 0;
    for (int floor = 0; floor < N_FLOORS; floor++) {
        if (wanted & 1u << floor) {
            stops[floor]++;
            n_stops++;
        }
    }

    pthread_mutex_lock(&mutex);
    buttons &= ~wanted;
    pthread_cond_broadcast(&arrived);
    pthread_mutex_unlock(&mutex);
    return n_stops;
}

int main(void)
{
    pthread_t ann, ben;
    int floors[N_PASSENGERS] = {1, 2};

    pthread_create(&ann, NULL, ride, &floors[0]);
    pthread_create(&ben, NULL, ride, &floors[1]);
    for (int n_stops = 0; n_stops < N_PASSENGERS;)
        n_stops += go_round();
    pthread_join(ann, NULL);
    pthread_join(ben, NULL);

    assert(n_served == N_PASSENGERS);
    return 0;
}
