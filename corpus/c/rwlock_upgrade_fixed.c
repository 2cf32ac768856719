/* rwlock_upgrade_fixed: as rwlock_upgrade, the guest holds the write lock for both accesses.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * atomic:   enter
 * predict:  none
 * bound:    -
 * verdict:  clean
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
    pthread_rwlock_wrlock(&gate);
    visitors = visitors + 1;
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
