/* double_checked_fixed: two threads use a value that the first one sets up, with an atomic flag.
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
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool ready; /* set last: who sees it set sees limit, too */
static int limit;

static int get_limit(void)
{
    if (!atomic_load_explicit(&ready, memory_order_acquire)) {
        pthread_mutex_lock(&mutex);
        if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
            limit = 100;
            atomic_store_explicit(&ready, true, memory_order_release);
        }
        pthread_mutex_unlock(&mutex);
    }
    return limit;
}

static void *user(void *unused)
{
    (void)unused;
    assert(get_limit() == 100);
    return NULL;
}

int main(void)
{
    pthread_t ann, ben;

    pthread_create(&ann, NULL, user, NULL);
    pthread_create(&ben, NULL, user, NULL);
    pthread_join(ann, NULL);
    pthread_join(ben, NULL);
    return 0;
}
