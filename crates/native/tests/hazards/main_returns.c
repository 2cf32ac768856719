// finds: nothing
// `main` returns while threads run that nobody joins.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;

static void *work(void *unused)
{
    for (int i = 0; i < 3; i++)
        n++;
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, 0, work, 0);
    return 7;
}
