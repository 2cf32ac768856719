// finds: nothing
// runs: 12
// Hundreds of threads at a time.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;

static void *add(void *unused)
{
    n++;
    return unused;
}

int main(void)
{
    pthread_t threads[300];
    for (int i = 0; i < 300; i++)
        assert(pthread_create(&threads[i], 0, add, 0) == 0);
    for (int i = 0; i < 300; i++)
        pthread_join(threads[i], 0);
    assert(n == 300);
    return 0;
}
