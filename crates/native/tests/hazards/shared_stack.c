// finds: assertion, race
// Threads share what is on the stack of one of them.
#include <assert.h>
#include <pthread.h>

static void *add(void *place)
{
    ++*(int *)place;
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    int n = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, add, &n);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(n == 2);
    return 0;
}
