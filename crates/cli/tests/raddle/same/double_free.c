#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic first, *_Atomic second;

static void release(int *_Atomic *what)
{
    int *seen = *what;

    *what = NULL;
    free(seen);
}

static void *clean_up(void *unused)
{
    release(&second);
    return unused;
}

int main(void)
{
    pthread_t one, other;

    first = malloc(4); second = malloc(4);
    pthread_create(&one, NULL, clean_up, NULL);
    pthread_create(&other, NULL, clean_up, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    release(&first);
    return 0;
}
