// finds: nothing
// A thread ends the process while others run; the status is nobody's business.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *end(void *unused)
{
    puts("ends");
    exit(3);
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, end, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 1;
}
