/* As in Apache's reference counting: the count is decreased, then tested in another section. */
#include <assert.h>
#include <pthread.h>

static int count = 2, cleaned, closed;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *drop(void *unused) {
    pthread_mutex_lock(&m);
    int left = count;
    count = left - 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    int now = count;
    pthread_mutex_unlock(&m);
    if (now == 0) {
        closed = 1;
        pthread_mutex_lock(&m);
        int times = cleaned;
        cleaned = times + 1;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, drop, 0);
    pthread_create(&b, 0, drop, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(cleaned == 1);
    return 0;
}
