/* A producer and a consumer change what is there in sections of a lock, and what they have seen
   without; N rounds each. With -DN=1, 5, 25 it has 41, 185 and 905 accesses, as cp1, cp2, cp3 of
   Ganai and Wang. The first assertion holds, the second one does not. With -DRACY everything is also
   changed without the lock, and there is only an assertion that does not hold. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 1
#endif

static int items, level, seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

#ifdef RACY
static void change(int by) {
    pthread_mutex_lock(&m);
    items = items + by;
    level = items;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    items = items + by;
    seen = level;
    pthread_mutex_unlock(&m);
    seen = level;
    items = items + by;
    level = seen;
}
#else
static void change(int by) {
    pthread_mutex_lock(&m);
    items = items + by;
    level = items;
    pthread_mutex_unlock(&m);
    seen = seen + by;
    pthread_mutex_lock(&m);
    items = items + by;
    level = items;
    pthread_mutex_unlock(&m);
    seen = seen + by;
    seen = seen + by;
}
#endif

static void *produce(void *unused) {
    for (int i = 0; i < N; i++) {
        change(1);
    }
    return unused;
}

static void *consume(void *unused) {
    for (int i = 0; i < N; i++) {
        change(-1);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, produce, 0);
    pthread_create(&b, 0, consume, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef RACY
    int last = level;
    level = seen;
    seen = last;
    assert(items == 0);
#else
    level = level + items;
    assert(items == 0);
    assert(seen == 0);
#endif
    return 0;
}
