// finds: nothing
// runs: 60
// A long computation looks like spinning, but is none.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;
static int table[64];

static void *compute(void *unused)
{
    unsigned sum = 0;
    for (int round = 0; round < 2000; round++)
        for (int i = 0; i < 64; i++)
            sum += table[i];
    assert(sum == 0);
    done = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, compute, 0);
    while (!done) {
    }
    pthread_join(thread, 0);
    return 0;
}
