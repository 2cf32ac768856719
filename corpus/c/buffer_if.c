/* buffer_if: a producer and two consumers, main is one of them, share a buffer of one slot.
 *
 * threads:  3
 * bug:      a woken thread does not test the slot again: `if` around the wait, not `while`
 * kinds:    assertion
 * predict:  none
 * bound:    0
 * verdict:  fails
 */

/* No spurious wake-up is needed: between the broadcast and the return from the wait another
 * consumer can have the mutex. A failing interleaving without any preemption:
 *
 *   main      creates producer and helper; take: the slot is empty, waits
 *   producer  put(1): fills the slot, wakes main, unlocks; put(2): the slot is full, waits
 *   helper    take: gets 1, the slot is empty again, wakes producer, unlocks, exits
 *   main      has the mutex again and goes on: assert(full) fails
 */

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool full; /* guarded by mutex, as is slot */
static int slot;
static int helper_took; /* belongs to the helper until the join */

static void put(int item)
{
    pthread_mutex_lock(&mutex);
    if (full)
        pthread_cond_wait(&changed, &mutex);
    assert(!full);
    slot = item;
    full = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static int take(void)
{
    pthread_mutex_lock(&mutex);
    if (!full)
        pthread_cond_wait(&changed, &mutex);
    assert(full);
    int item = slot;
    full = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return item;
}

static void *produce(void *unused)
{
    (void)unused;
    put(1);
    put(2);
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    helper_took = take();
    return NULL;
}

int main(void)
{
    pthread_t producer, helper;

    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&helper, NULL, consume, NULL);
    int main_took = take();
    pthread_join(producer, NULL);
    pthread_join(helper, NULL);

    assert(main_took + helper_took == 1 + 2);
    return 0;
}
