// expect: exited 0
// flags: -std=c11
// output: 30 3
// Threads, mutexes, conditions and thread-specific storage of C11.
#include <assert.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex, twice;
static cnd_t condition;
static tss_t key;
static int sum, n_values, is_open;

static void drop(void *value) {
    assert(*(int *)value == 10);
    n_values++;
}

static int worker(void *argument) {
    assert(tss_set(key, argument) == thrd_success);
    mtx_lock(&mutex);
    while (!is_open)
        cnd_wait(&condition, &mutex);
    assert(mtx_trylock(&twice) == thrd_success && mtx_trylock(&twice) == thrd_success);
    mtx_unlock(&twice);
    mtx_unlock(&twice);
    sum += *(int *)tss_get(key);
    mtx_unlock(&mutex);
    thrd_yield();
    if (sum > 10)
        thrd_exit(-sum);
    return -sum;
}

static int late(void *unused) {
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_sec += 1;
    assert(mtx_trylock(&mutex) == thrd_busy);
    assert(mtx_timedlock(&mutex, &until) == thrd_timedout);
    return 0;
}

int main(void) {
    thrd_t threads[3];
    static int value = 10;
    int result;
    assert(mtx_init(&mutex, mtx_timed) == thrd_success);
    assert(mtx_init(&twice, mtx_plain | mtx_recursive) == thrd_success);
    assert(cnd_init(&condition) == thrd_success);
    assert(tss_create(&key, drop) == thrd_success);
    for (int i = 0; i < 3; i++)
        assert(thrd_create(&threads[i], worker, &value) == thrd_success);
    thrd_sleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    mtx_lock(&mutex);
    is_open = 1;
    cnd_broadcast(&condition);
    mtx_unlock(&mutex);
    for (int i = 0; i < 3; i++) {
        assert(thrd_join(threads[i], &result) == thrd_success);
        assert(result < 0 && result >= -30);
    }

    mtx_lock(&mutex);
    thrd_create(&threads[0], late, NULL);
    thrd_join(threads[0], &result);
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_sec += 1;
    assert(cnd_timedwait(&condition, &mutex, &until) == thrd_timedout);
    mtx_unlock(&mutex);
    printf("%d %d\n", sum, n_values);
    mtx_destroy(&mutex);
    cnd_destroy(&condition);
    tss_delete(key);
    return 0;
}
