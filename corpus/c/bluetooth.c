/* bluetooth: a Bluetooth driver (the model of Qadeer and Wu) is stopped while a request comes in.
 *
 * threads:  3
 * bug:      an adder tests `stoppingFlag` before it counts itself in, the driver stops in between
 * kinds:    race, atomicity, assertion
 * predict:  race
 * bound:    1
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main     creates adder and stopper, blocks in the join of adder
 *   adder    enter: stoppingFlag is false
 *            -- preemption 1 --
 *   stopper  stoppingFlag = true; leave: pendingIo 1 -> 0, sets the event; does not have to wait;
 *            stopped = true; exits
 *   adder    enter: pendingIo 0 -> 1; assert(!stopped) fails
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef ADDERS
#define ADDERS 1
#endif

static atomic_int pendingIo = 1; /* the driver itself is one user */
static atomic_bool stoppingFlag; /* no new requests, please */
static bool stopped;             /* the driver is gone */
static pthread_mutex_t event = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t event_set = PTHREAD_COND_INITIALIZER;
static bool stoppingEvent; /* guarded by event */

/* The last user lets the stopper go on. */
static void leave(void)
{
    if (atomic_fetch_sub(&pendingIo, 1) == 1) {
        pthread_mutex_lock(&event);
        stoppingEvent = true;
        pthread_cond_signal(&event_set);
        pthread_mutex_unlock(&event);
    }
}

static bool enter(void)
{
    if (stoppingFlag)
        return false;
    atomic_fetch_add(&pendingIo, 1);
    return true;
}

/* As in the model, a request that is turned away leaves, too, although it never entered. */
static void *adder(void *unused)
{
    (void)unused;
    if (enter())
        assert(!stopped);
    leave();
    return NULL;
}

static void *stopper(void *unused)
{
    (void)unused;
    stoppingFlag = true;
    leave();
    pthread_mutex_lock(&event);
    while (!stoppingEvent)
        pthread_cond_wait(&event_set, &event);
    pthread_mutex_unlock(&event);
    stopped = true;
    return NULL;
}

int main(void)
{
    pthread_t adders[ADDERS], stopping;

    for (int i = 0; i < ADDERS; i++)
        pthread_create(&adders[i], NULL, adder, NULL);
    pthread_create(&stopping, NULL, stopper, NULL);
    for (int i = 0; i < ADDERS; i++)
        pthread_join(adders[i], NULL);
    pthread_join(stopping, NULL);

    assert(stopped);
    return 0;
}
