/* spin_lock: two threads count with a spin lock of their own.
 *
 * threads:  3
 * bug:      that the lock is free is seen in one step and the lock is taken in another one
 * kinds:    race, atomicity, assertion
 * predict:  race
 * bound:    2
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main  creates ann and ben, blocks in the join of ann
 *   ann   lock: held is false
 *         -- preemption 1 --
 *   ben   lock: held is false, held = true; reads count 0
 *         -- preemption 2 --
 *   ann   held = true; count 0 -> 1; unlock; exits
 *   ben   count = 1; unlock; exits
 *   main  joins both; assert(count == 2) fails
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
    while (atomic_load(&held))
        sched_yield();
    atomic_store(&held, true);
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
