// A ray tracer whose threads add to one checksum, all under the same lock.
// focus: checksum
// expect: serializable
#include <pthread.h>

static pthread_mutex_t locks[3] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
long checksum;
static int image[3][4];

static void *worker(void *arg)
{
    long row = (long)arg;
    long local = 0;
    for (int x = 0; x < 4; x++) {
        image[row][x] = (int)(row * 4 + x);
        local += image[row][x];
    }
    pthread_mutex_lock(&locks[0]);
    checksum = checksum + local;
    pthread_mutex_unlock(&locks[0]);
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
