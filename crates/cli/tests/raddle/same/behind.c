/* Who unlocks the mutex of another thread lets a third one in. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int number;

static __attribute__((noinline)) void is(int expected) {
    assert(number == expected);
}

static void *add(void *unused) {
    pthread_mutex_lock(&mutex);
    int before = number;
    number = before + 1;
    is(before + 1);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *give(void *unused) {
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *set(void *unused) {
    pthread_mutex_lock(&mutex);
    number = 7;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, give, NULL);
    pthread_create(&threads[2], NULL, set, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 0;
}
