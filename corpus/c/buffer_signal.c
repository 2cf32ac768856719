/* buffer_signal: a producer and two consumers share a one-slot buffer and a condition variable.
 *
 * threads:  3
 * bug:      `signal` can wake a consumer although only the producer could go on
 * kinds:    lost-wakeup, deadlock
 * predict:  none
 * bound:    0
 * verdict:  fails
 */

/* Both kinds of waiters use `changed`, so that one signal may reach the wrong one. A failing
 * interleaving without any preemption; it also happens if waiters are woken in order of arrival:
 *
 *   main      creates producer and helper; take: the slot is empty, waits
 *   helper    take: the slot is empty, waits
 *   producer  put(1): fills the slot, signals main, unlocks; put(2): the slot is full, waits
 *   main      take: gets 1, signals helper instead of producer, unlocks; blocks in the join
 *   helper    the slot is empty, waits again
 *             the slot is free, but the producer sleeps: nobody can go on
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
    while (full)
        pthread_cond_wait(&changed, &mutex);
    assert(!full);
    slot = item;
    full = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
}

static int take(void)
{
    pthread_mutex_lock(&mutex);
    while (!full)
        pthread_cond_wait(&changed, &mutex);
    assert(full);
    int item = slot;
    full = false;
    pthread_cond_signal(&changed);
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
