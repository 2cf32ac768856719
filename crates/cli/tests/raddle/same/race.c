#include <pthread.h>
#include <stddef.h>

static int counter;

static void *count(void *unused)
{
    int seen = counter;
    counter = seen + 1;
    return unused;
}

int main(void)
{
    pthread_t one, other;

    pthread_create(&one, NULL, count, NULL);
    pthread_create(&other, NULL, count, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
