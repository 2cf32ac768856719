/* token_ring: threads in a ring pass a token on, a semaphore each says whose turn it is.
 *
 * threads:  4
 * bug:      the turn is passed on before the token, the next thread adds to an old value
 * kinds:    race, atomicity, assertion
 * predict:  race
 * bound:    1
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main    creates all stations, blocks in the join of 0
 *   0       it is its turn: reads token 0, passes the turn to 1
 *           -- preemption 1 --
 *   1       it is its turn: reads token 0, passes the turn to 2, token = 1; exits
 *   0       token = 1; exits
 *   2       reads token 1, passes the turn, token = 2; exits
 *   main    joins all; assert(token == N_STATIONS) fails
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
    int seen = token;
    sem_post(&turns[next]);
    token = seen + 1;
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
