#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t check = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static struct {
    int n;
    pthread_mutex_t lock;
} object = {5, PTHREAD_MUTEX_INITIALIZER};

int main(void) {
    pthread_mutex_t copies[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};
    printf("%d ", pthread_mutex_lock(&check));
    printf("%d ", pthread_mutex_lock(&check) == EDEADLK);
    printf("%d ", pthread_mutex_unlock(&check));
    printf("%d\n", pthread_mutex_unlock(&check) == EPERM);
    printf("%d ", pthread_mutex_lock(&object.lock));
    printf("%d %d\n", pthread_mutex_unlock(&object.lock), object.n);
    printf("%d ", pthread_mutex_lock(&copies[0]));
    printf("%d\n", pthread_mutex_trylock(&copies[0]) == EBUSY);
    printf("%d ", pthread_mutex_lock(&copies[1]));
    printf("%d\n", pthread_mutex_trylock(&copies[1]));
    pthread_mutex_unlock(&copies[0]);
    pthread_mutex_unlock(&copies[1]);
    pthread_mutex_unlock(&copies[1]);
    printf("%zu %zu %zu %zu\n", sizeof(pthread_mutex_t), sizeof(pthread_cond_t),
           sizeof(pthread_rwlock_t), sizeof(pthread_barrier_t));
    return 0;
}
