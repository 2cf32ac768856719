// finds: nothing
// forks: a thread needs a stack of its own
// A thread that asks for a large stack has it, and one on memory of its own is there.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char own[256 << 10] __attribute__((aligned(4096)));

static int deep(int n)
{
    volatile char room[10000];
    room[0] = room[9999] = n;
    return n ? deep(n - 1) + room[0] - room[9999] : 1;
}

static void *large(void *unused)
{
    assert(deep(3000) == 1);
    return unused;
}

static void *small(void *unused)
{
    char here;
    assert(&here > own && &here < own + sizeof own);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstacksize(&attributes, 64 << 20) == 0);
    assert(pthread_create(&threads[0], &attributes, large, 0) == 0);
    assert(pthread_attr_setstack(&attributes, own, sizeof own) == 0);
    assert(pthread_create(&threads[1], &attributes, small, 0) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
