// finds: nothing
// runs: 20
// Memory that the heap grew by is zero again in the next run.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *fill(void *unused)
{
    for (int round = 0; round < 30; round++) {
        char *block = calloc(1, 100000);
        for (int at = 0; at < 100000; at += 1000)
            assert(block[at] == 0);
        memset(block, 7, 100000);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, fill, 0);
    fill(0);
    pthread_join(thread, 0);
    return 0;
}
