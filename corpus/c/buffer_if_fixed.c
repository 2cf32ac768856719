/* buffer_if_fixed: a producer and two consumers share a buffer of one slot and wait in loops.
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
    pthread_cond_broadcast(&changed);
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
