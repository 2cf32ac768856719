// finds: nothing
// input: 40 2
// Every run reads the whole input.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *look(void *number)
{
    assert(scanf("%d", (int *)number) == 1);
    return 0;
}

int main(void)
{
    pthread_t thread;
    int one = 0, other = 0;
    pthread_create(&thread, 0, look, &one);
    look(&other);
    pthread_join(thread, 0);
    assert(one + other == 42);
    return 0;
}
