// finds: crash
// A division by what is zero for a while.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n = 1;
static volatile int result;

static void *divide(void *unused)
{
    result = 10 / n;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, divide, 0);
    n = 0;
    n = 2;
    pthread_join(thread, 0);
    return 0;
}
