// finds: nothing
// Threads that wait by looking again and again.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stage;

static void *wait_for(void *next)
{
    while (stage != *(int *)next) {
    }
    stage++;
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    int order[] = {2, 0, 1};
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, wait_for, &order[i]);
    while (stage != 3) {
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
