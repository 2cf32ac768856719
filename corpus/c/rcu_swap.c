/* rcu_swap: a reader uses the configuration without a lock while a writer replaces it.
 *
 * threads:  3
 * bug:      the old configuration is freed at once, although a reader may have got it before
 * kinds:    race, use-after-free
 * predict:  none
 * bound:    1
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main    publishes the first configuration; creates reader and writer, blocks in the join of
 *           reader
 *   reader  gets the first configuration
 *           -- preemption 1 --
 *   writer  publishes the second one, frees the first one; exits
 *   reader  reads `low` of the first one, which is freed
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct config {
    int low, high;
};

static _Atomic(struct config *) current;

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
    struct config *config = current;
    assert(config->high - config->low == 10);
    return NULL;
}

static void *replace(void *unused)
{
    (void)unused;
    struct config *old = atomic_exchange(&current, new_config(20, 30));
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
