// finds: abort
// flags: -fstack-protector-all
// The C library finds that a stack was overwritten.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n_bytes = 8;

__attribute__((noinline)) static void fill(volatile char *at, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = 1;
}

static void *work(void *unused)
{
    volatile char own[8];
    fill(own, n_bytes);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    n_bytes = 40;
    pthread_join(thread, 0);
    return 0;
}
