/* lazy_init_fixed: each thread keeps its own pointer to a registry, which is made once.
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
#include <stddef.h>
#include <stdlib.h>

#define N_THREADS 2

struct registry {
    atomic_int n_entries;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct registry *the_registry;
static _Thread_local struct registry *my_registry;

static void make_registry(void)
{
    the_registry = malloc(sizeof *the_registry);
    if (!the_registry)
        abort();
    atomic_init(&the_registry->n_entries, 0);
}

static struct registry *get_registry(void)
{
    if (!my_registry) {
        pthread_once(&once, make_registry);
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
