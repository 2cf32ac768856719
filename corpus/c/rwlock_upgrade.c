/* rwlock_upgrade: a guest reads the number of visitors and raises it while the house is closed.
 *
 * threads:  3
 * bug:      the lock is free between reading and writing, the closing of the house is lost
 * kinds:    atomicity, assertion
 * atomic:   enter
 * predict:  atomicity
 * bound:    1
 * verdict:  fails
 */

/* There is no data race: each access holds the lock. A failing interleaving:
 *
 *   main   creates guest and host, blocks in the join of guest
 *   guest  read lock, seen = 5, unlock
 *          -- preemption 1 --
 *   host   write lock, visitors = 0, unlock; exits
 *   guest  write lock, visitors = 6, unlock; exits
 *   main   joins both, 6 > 1
 */

#define _POSIX_C_SOURCE 200809L /* for read-write locks */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static int visitors = 5; /* guarded by gate */

static void *enter(void *unused)
{
    (void)unused;
    pthread_rwlock_rdlock(&gate);
    int seen = visitors;
    pthread_rwlock_unlock(&gate);

    pthread_rwlock_wrlock(&gate);
    visitors = seen + 1;
    pthread_rwlock_unlock(&gate);
    return NULL;
}

static void *close_house(void *unused)
{
    (void)unused;
    pthread_rwlock_wrlock(&gate);
    visitors = 0;
    pthread_rwlock_unlock(&gate);
    return NULL;
}

int main(void)
{
    pthread_t guest, host;

    pthread_create(&guest, NULL, enter, NULL);
    pthread_create(&host, NULL, close_house, NULL);
    pthread_join(guest, NULL);
    pthread_join(host, NULL);

    assert(visitors <= 1);
    return 0;
}
