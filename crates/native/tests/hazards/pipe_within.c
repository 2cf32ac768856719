// finds: nothing
// A pipe from one thread to another, read until its end.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *produce(void *unused)
{
    for (char byte = 1; byte <= 3; byte++)
        assert(write(ends[1], &byte, 1) == 1);
    close(ends[1]);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;
    int sum = 0;
    assert(pipe(ends) == 0);
    pthread_create(&thread, 0, produce, 0);
    while (read(ends[0], &byte, 1) == 1)
        sum += byte;
    pthread_join(thread, 0);
    assert(sum == 6);
    return 0;
}
