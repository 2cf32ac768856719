/* rcu_swap_fixed: a writer replaces the configuration and frees the old one when no reader is left.
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
#include <stddef.h>
#include <stdlib.h>

struct config {
    int low, high;
};

static _Atomic(struct config *) current;
static atomic_int n_readers; /* those who may hold a pointer to a configuration */

static struct config *new_config(int low, int high)
{
    struct config *config = malloc(sizeof *config);

    if (!config)
        abort();
    config->low = low;
    config->high = high;
    return config;
}

static void *read_config(void *unused)
{
    (void)unused;
    atomic_fetch_add(&n_readers, 1);
    struct config *config = current;
    assert(config->high - config->low == 10);
    atomic_fetch_sub(&n_readers, 1);
    return NULL;
}

static void *replace(void *unused)
{
    (void)unused;
    struct config *old = atomic_exchange(&current, new_config(20, 30));
    while (n_readers > 0) /* readers who come now get the new one */
        sched_yield();
    free(old);
    return NULL;
}

int main(void)
{
    pthread_t reader, writer;

    current = new_config(0, 10);
    pthread_create(&reader, NULL, read_config, NULL);
    pthread_create(&writer, NULL, replace, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);

    free(current);
    return 0;
}
