#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *try_both(void *argument) {
    int r = pthread_rwlock_tryrdlock(&lock);
    if (!r)
        pthread_rwlock_unlock(&lock);
    int w = pthread_rwlock_trywrlock(&lock);
    if (!w)
        pthread_rwlock_unlock(&lock);
    printf("%s: read %s, write %s\n", (char *)argument, r == EBUSY ? "busy" : "free",
           w == EBUSY ? "busy" : "free");
    return NULL;
}

static void other(const char *when) {
    pthread_t thread;
    pthread_create(&thread, NULL, try_both, (void *)when);
    pthread_join(thread, NULL);
}

int main(void) {
    other("free");
    pthread_rwlock_rdlock(&lock);
    other("one reader");
    printf("%d\n", pthread_rwlock_rdlock(&lock));
    pthread_rwlock_unlock(&lock);
    other("still one");
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    other("a writer");
    printf("%d\n", pthread_rwlock_wrlock(&lock) == EDEADLK);
    printf("%d\n", pthread_rwlock_rdlock(&lock) == EDEADLK);
    pthread_rwlock_unlock(&lock);
    other("free again");
    printf("%d\n", pthread_rwlock_destroy(&lock));
    return 0;
}
