/* lazy_init: each thread keeps its own pointer to a registry, which the first one to ask makes.
 *
 * threads:  3
 * bug:      that there is no registry is seen without a lock, two are made and an entry is lost
 * kinds:    race, atomicity, assertion
 * predict:  race
 * bound:    1
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main  creates ann and ben, blocks in the join of ann
 *   ann   get_registry: there is none
 *         -- preemption 1 --
 *   ben   get_registry: there is none, makes one; adds an entry; exits
 *   ann   makes another one, adds an entry; exits
 *   main  joins both; the registry has one entry: the assertion fails
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#define N_THREADS 2

struct registry {
    atomic_int n_entries;
};

static struct registry *the_registry;
static _Thread_local struct registry *my_registry;

static struct registry *make_registry(void)
{
    struct registry *registry = malloc(sizeof *registry);

    if (!registry)
        abort();
    atomic_init(&registry->n_entries, 0);
    return registry;
}

static struct registry *get_registry(void)
{
    if (!my_registry) {
        if (!the_registry)
            the_registry = make_registry();
        my_registry = the_registry;
    }
    return my_registry;
}

static void *enter(void *unused)
{
    (void)unused;
    atomic_fetch_add(&get_registry()->n_entries, 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N_THREADS];

    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, enter, NULL);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);

    assert(the_registry->n_entries == N_THREADS);
    free(the_registry);
    return 0;
}
