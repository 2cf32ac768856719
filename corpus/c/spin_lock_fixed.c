/* spin_lock_fixed: two threads count with a spin lock that is tested and taken in one step.
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
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_bool held;
static int count; /* guarded by the spin lock */

static void lock(void)
{
    while (atomic_exchange(&held, true))
        sched_yield();
}

static void unlock(void)
{
    atomic_store(&held, false);
}

static void *add(void *unused)
{
    (void)unused;
    lock();
    count++;
    unlock();
    return NULL;
}

int main(void)
{
    pthread_t ann, ben;

    pthread_create(&ann, NULL, add, NULL);
    pthread_create(&ben, NULL, add, NULL);
    pthread_join(ann, NULL);
    pthread_join(ben, NULL);

    assert(count == 2);
    return 0;
}
