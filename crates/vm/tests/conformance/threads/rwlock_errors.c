#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock;
static const struct timespec past, invalid = {0, -5};

static void *other(void *when) {
    printf("%s:", (const char *)when);
    int r = pthread_rwlock_timedrdlock(&lock, &past);
    printf(" read %d", r == ETIMEDOUT ? 1 : r);
    if (!r)
        pthread_rwlock_unlock(&lock);
    int w = pthread_rwlock_timedwrlock(&lock, &past);
    printf(" write %d", w == ETIMEDOUT ? 1 : w);
    if (!w)
        pthread_rwlock_unlock(&lock);
    r = pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past);
    if (!r)
        pthread_rwlock_unlock(&lock);
    w = pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past);
    if (!w)
        pthread_rwlock_unlock(&lock);
    printf(" clock %d %d\n", r == ETIMEDOUT, w == ETIMEDOUT);
    return NULL;
}

static void ask(const char *when) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, (void *)when);
    pthread_join(thread, NULL);
}

int main(void) {
    pthread_rwlockattr_t attr;
    int value;
    printf("%d ", pthread_rwlockattr_init(&attr));
    pthread_rwlockattr_getkind_np(&attr, &value);
    printf("%d ", value == PTHREAD_RWLOCK_DEFAULT_NP);
    printf("%d ", pthread_rwlockattr_setkind_np(&attr, 9) == EINVAL);
    printf("%d ", pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NP));
    pthread_rwlockattr_getkind_np(&attr, &value);
    printf("%d ", value == PTHREAD_RWLOCK_PREFER_WRITER_NP);
    printf("%d ", pthread_rwlockattr_setpshared(&attr, 9) == EINVAL);
    printf("%d ", pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
    pthread_rwlockattr_getpshared(&attr, &value);
    printf("%d\n", value == PTHREAD_PROCESS_SHARED);
    printf("%d %d\n", pthread_rwlock_init(&lock, &attr), pthread_rwlockattr_destroy(&attr));
    ask("free");
    printf("%d %d\n", pthread_rwlock_rdlock(&lock), pthread_rwlock_tryrdlock(&lock));
    printf("%d\n", pthread_rwlock_trywrlock(&lock) == EBUSY);
    ask("two readers");
    pthread_rwlock_unlock(&lock);
    ask("one reader");
    pthread_rwlock_unlock(&lock);
    printf("%d\n", pthread_rwlock_trywrlock(&lock));
    printf("%d ", pthread_rwlock_tryrdlock(&lock) == EBUSY);
    printf("%d ", pthread_rwlock_trywrlock(&lock) == EBUSY);
    printf("%d ", pthread_rwlock_wrlock(&lock) == EDEADLK);
    printf("%d ", pthread_rwlock_rdlock(&lock) == EDEADLK);
    printf("%d ", pthread_rwlock_timedwrlock(&lock, &past) == EDEADLK);
    printf("%d\n", pthread_rwlock_timedrdlock(&lock, &past) == EDEADLK);
    ask("a writer");
    printf("%d ", pthread_rwlock_timedrdlock(&lock, &invalid) == EINVAL);
    printf("%d\n", pthread_rwlock_timedwrlock(&lock, &invalid) == EINVAL);
    printf("%d %d\n", pthread_rwlock_unlock(&lock), pthread_rwlock_destroy(&lock));
    return 0;
}
