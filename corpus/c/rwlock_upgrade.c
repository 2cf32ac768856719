/* rwlock_upgrade: two threads read a counter under the read lock and write it under the write lock.
 *
 * threads:  3
 * bug:      the lock is free between reading and writing, an update of `visitors` is lost
 * kinds:    atomicity, assertion
 * atomic:   count_visitor
 * predict:  none
 * bound:    1
 * verdict:  fails
 */

/* There is no data race: each access holds the lock. A failing interleaving:
 *
 *   main   creates front and back, blocks in the join of front
 *   front  read lock, seen = 0, unlock
 *          -- preemption 1 --
 *   back   read lock, seen = 0, unlock; write lock, visitors = 1, unlock; exits
 *   front  write lock, visitors = 1, unlock; exits
 *   main   joins both, 1 != 2
 */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static int visitors; /* guarded by gate */

static void *count_visitor(void *unused)
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

int main(void)
{
    pthread_t front, back;

    pthread_create(&front, NULL, count_visitor, NULL);
    pthread_create(&back, NULL, count_visitor, NULL);
    pthread_join(front, NULL);
    pthread_join(back, NULL);

    assert(visitors == 2);
    return 0;
}
