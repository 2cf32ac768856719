// All threads but one write two values, the last one looks at them: it fails between the first write of
// whoever comes first and any second one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;

static void *set(void *unused)
{
    a = 1;
    b = -1;
    return unused;
}

static void *check(void *unused)
{
    int one = a, other = b;
    assert((one == 0 && other == 0) || (one == 1 && other == -1));
    return unused;
}

int main(void)
{
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS - 1; i++)
        pthread_create(&threads[i], 0, set, 0);
    pthread_create(&threads[N_THREADS - 1], 0, check, 0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
