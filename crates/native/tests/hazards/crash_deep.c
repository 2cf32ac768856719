// finds: crash
// A stack that is used up by one thread, in some orders.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n = 3;

static int deep(int n)
{
    volatile char own[1000];
    own[0] = n;
    return n ? deep(n - 1) + own[0] : 0;
}

static void *work(void *unused)
{
    return deep(n) ? unused : 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    n = 100000000;
    pthread_join(thread, 0);
    return 0;
}
