// finds: nothing
// runs: 20
// Large blocks are mapped, moved as they grow, and unmapped.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *grow(void *unused)
{
    size_t size = 1 << 20;
    char *block = malloc(size);
    block[0] = 1;
    for (; size < 32 << 20; size *= 2) {
        block[size - 1] = 2;
        block = realloc(block, size * 2);
        assert(block[0] == 1 && block[size - 1] == 2 && block[size * 2 - 1] == 0);
    }
    free(block);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, grow, 0);
    void *kept = malloc(10 << 20);
    memset(kept, 1, 10 << 20);
    pthread_join(thread, 0);
    return 0;
}
