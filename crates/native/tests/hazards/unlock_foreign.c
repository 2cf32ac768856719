// finds: assertion, misuse, race
// runs: 3000
// flags: -O0
// Who unlocks a mutex of another thread lets a third one in: the run goes on, and what then fails is found, too.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void *add(void *unused)
{
    pthread_mutex_lock(&mutex);
    int before = number;
    number = before + 1;
    assert(number == before + 1);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *unlock(void *unused)
{
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *set(void *unused)
{
    pthread_mutex_lock(&mutex);
    number = 7;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, add, 0);
    pthread_create(&threads[1], 0, unlock, 0);
    pthread_create(&threads[2], 0, set, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
