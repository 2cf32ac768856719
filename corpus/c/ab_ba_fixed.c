/* ab_ba_fixed: two threads take two locks in the same order.
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
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int rounds; /* guarded by a and b together */

static void *go_up(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    rounds++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return NULL;
}

static void *go_down(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    rounds++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return NULL;
}

int main(void)
{
    pthread_t up, down;

    pthread_create(&up, NULL, go_up, NULL);
    pthread_create(&down, NULL, go_down, NULL);
    pthread_join(up, NULL);
    pthread_join(down, NULL);

    assert(rounds == 2);
    return 0;
}
