// expect: exited 0
// output: 40 40
// Writers exclude everybody, readers do not exclude each other and may read twice.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;

static void *writer(void *unused) {
    for (int i = 0; i < 20; i++) {
        assert(pthread_rwlock_wrlock(&lock) == 0);
        assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
        a++;
        b++;
        assert(pthread_rwlock_unlock(&lock) == 0);
    }
    return NULL;
}

static void *reader(void *unused) {
    for (int i = 0; i < 20; i++) {
        assert(pthread_rwlock_rdlock(&lock) == 0);
        int before = a;
        assert(pthread_rwlock_rdlock(&lock) == 0);
        assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
        assert(a == b && a == before);
        assert(pthread_rwlock_unlock(&lock) == 0);
        assert(a == b && a == before);
        assert(pthread_rwlock_unlock(&lock) == 0);
    }
    return NULL;
}

static void *late(void *unused) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    assert(pthread_rwlock_timedrdlock(&lock, &until) == ETIMEDOUT);
    assert(pthread_rwlock_timedwrlock(&lock, &until) == ETIMEDOUT);
    until.tv_nsec = 1000000000;
    assert(pthread_rwlock_timedwrlock(&lock, &until) == EINVAL);
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 ? reader : writer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d\n", a, b);

    pthread_rwlock_wrlock(&lock);
    pthread_create(&threads[0], NULL, late, NULL);
    pthread_join(threads[0], NULL);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_destroy(&lock) == 0);
    return 0;
}
