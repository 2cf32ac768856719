/* rwlock_upgrade_fixed: two threads read and change a counter under the write lock.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * atomic:   count_visitor
 * predict:  none
 * bound:    -
 * verdict:  clean
 */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static int visitors; /* guarded by gate */

static void *count_visitor(void *unused)
{
    (void)unused;
    pthread_rwlock_wrlock(&gate);
    int seen = visitors;
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
