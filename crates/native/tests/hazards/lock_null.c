// finds: crash, race
// Whether the mutex is still there when it is locked depends on who comes first.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t only = PTHREAD_MUTEX_INITIALIZER, *mutex = &only;

static void *drop(void *unused)
{
    mutex = NULL;
    return unused;
}

static void *use(void *unused)
{
    pthread_mutex_t *now = mutex;
    pthread_mutex_lock(now);
    pthread_mutex_unlock(now);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, drop, 0);
    pthread_create(&second, 0, use, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
