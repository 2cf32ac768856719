/* token_ring_fixed: threads in a ring pass a token on, and then the turn.
 *
 * threads:  4
 * bug:      none
 * kinds:    none
 * predict:  none
 * bound:    -
 * verdict:  clean
 */

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#define N_STATIONS 3

static sem_t turns[N_STATIONS];
static int token; /* counts the stations that it has passed; belongs to whose turn it is */

static void *station(void *turn)
{
    int here = (int)((sem_t *)turn - turns);
    int next = (here + 1) % N_STATIONS;

    sem_wait(&turns[here]);
    token++;
    sem_post(&turns[next]);
    return NULL;
}

int main(void)
{
    pthread_t stations[N_STATIONS];

    for (int i = 0; i < N_STATIONS; i++)
        sem_init(&turns[i], 0, i == 0);
    for (int i = 0; i < N_STATIONS; i++)
        pthread_create(&stations[i], NULL, station, &turns[i]);
    for (int i = 0; i < N_STATIONS; i++)
        pthread_join(stations[i], NULL);

    assert(token == N_STATIONS);
    for (int i = 0; i < N_STATIONS; i++)
        sem_destroy(&turns[i]);
    return 0;
}
