#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t cond;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int ready, n_once;
static thread_local int own = 5;

static void count(void) {
    n_once++;
}

static void destroy(void *value) {
    printf("destroy %s\n", (char *)value);
}

static int work(void *argument) {
    call_once(&once, count);
    own += 2;
    mtx_lock(&mutex);
    while (!ready)
        cnd_wait(&cond, &mutex);
    mtx_unlock(&mutex);
    return own + (argument ? *(int *)argument : 0);
}

static int leave(void *argument) {
    tss_set(key, argument);
    thrd_exit(-3);
}

static int try(void *argument) {
    struct timespec past = {0, 0};
    printf("%d ", mtx_trylock(&mutex) == thrd_busy);
    printf("%d\n", mtx_timedlock(&mutex, &past) == thrd_timedout);
    return 0;
}

int main(void) {
    struct timespec past = {0, 0}, invalid = {0, -1}, span = {0, 1000};
    thrd_t threads[2];
    int results[2], by = 10;
    printf("%d %d\n", mtx_init(&mutex, mtx_timed) == thrd_success, cnd_init(&cond) == thrd_success);
    for (int i = 0; i < 2; i++)
        printf("%d ", thrd_create(&threads[i], work, i ? &by : NULL) == thrd_success);
    mtx_lock(&mutex);
    printf("%d ", cnd_timedwait(&cond, &mutex, &past) == thrd_timedout);
    printf("%d\n", cnd_timedwait(&cond, &mutex, &invalid) == thrd_error);
    ready = 1;
    cnd_broadcast(&cond);
    mtx_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        printf("%d ", thrd_join(threads[i], &results[i]) == thrd_success);
    printf("%d %d %d %d\n", results[0], results[1], own, n_once);
    printf("%d\n", cnd_signal(&cond) == thrd_success);
    tss_create(&key, destroy);
    thrd_create(&threads[0], leave, "value");
    thrd_join(threads[0], &results[0]);
    printf("%d %d\n", results[0], tss_get(key) == NULL);
    printf("%d ", tss_set(key, "main") == thrd_success);
    printf("%s\n", (char *)tss_get(key));
    tss_delete(key);
    mtx_lock(&mutex);
    thrd_create(&threads[0], try, NULL);
    thrd_join(threads[0], NULL);
    mtx_unlock(&mutex);
    mtx_destroy(&mutex);
    printf("%d ", mtx_init(&mutex, mtx_plain | mtx_recursive) == thrd_success);
    for (int i = 0; i < 3; i++)
        printf("%d ", mtx_lock(&mutex) == thrd_success);
    for (int i = 0; i < 3; i++)
        printf("%d ", mtx_unlock(&mutex) == thrd_success);
    mtx_destroy(&mutex);
    cnd_destroy(&cond);
    thrd_yield();
    printf("%d\n", thrd_sleep(&span, NULL));
    return 0;
}
