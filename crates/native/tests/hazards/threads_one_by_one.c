// finds: nothing
// runs: 12
// More threads than a pool begins with, one after the other.
#include <assert.h>
#include <pthread.h>

static int n;

static void *add(void *unused)
{
    n++;
    return unused;
}

int main(void)
{
    for (int i = 0; i < 500; i++) {
        pthread_t thread;
        assert(pthread_create(&thread, 0, add, 0) == 0);
        pthread_join(thread, 0);
    }
    assert(n == 500);
    return 0;
}
