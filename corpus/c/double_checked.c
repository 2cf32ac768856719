/* double_checked: two threads use a value that the first one sets up, with a plain flag.
 *
 * threads:  3
 * bug:      `ready` is set before `limit` and tested without the lock, a half-made value is used
 * kinds:    race, atomicity, assertion
 * predict:  race
 * bound:    1
 * verdict:  fails
 */

/* Setting `ready` last would not repair it: compiler and processor may swap two plain stores.
 * A failing interleaving:
 *
 *   main  creates ann and ben, blocks in the join of ann
 *   ann   ready is false; lock; ready is false; ready = true
 *         -- preemption 1 --
 *   ben   ready is true; limit is still 0: assert(get_limit() == 100) fails
 */

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool ready;
static int limit;

static int get_limit(void)
{
    if (!ready) {
        pthread_mutex_lock(&mutex);
        if (!ready) {
            ready = true;
            limit = 100;
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
