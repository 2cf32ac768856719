/* C11's threads on top of POSIX's. */
#include "internal.h"
#include <pthread.h>
#include <stdint.h>
#include <threads.h>

struct thrd_start {
    thrd_start_t function;
    void *argument;
};

static void *run_thrd(void *start) {
    struct thrd_start own = *(struct thrd_start *)start;
    __raddle_free(start);
    return (void *)(intptr_t)own.function(own.argument);
}

static int outcome_of(int error) {
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument) {
    struct thrd_start *start = __raddle_malloc(sizeof *start, 1);
    int error;
    if (!start)
        return thrd_nomem;
    start->function = function;
    start->argument = argument;
    error = pthread_create(thread, NULL, run_thrd, start);
    if (error)
        __raddle_free(start);
    return error ? thrd_error : thrd_success;
}

int thrd_equal(thrd_t a, thrd_t b) {
    return a == b;
}

thrd_t thrd_current(void) {
    return pthread_self();
}

int thrd_sleep(const struct timespec *span, struct timespec *rest) {
    return nanosleep(span, rest) ? -2 : 0;
}

void thrd_exit(int result) {
    __raddle_lib_end_thread((void *)(intptr_t)result);
}

int thrd_detach(thrd_t thread) {
    return outcome_of(pthread_detach(thread));
}

int thrd_join(thrd_t thread, int *result) {
    void *value;
    int error = pthread_join(thread, &value);
    if (!error && result)
        *result = (int)(intptr_t)value;
    return outcome_of(error);
}

void thrd_yield(void) {
    __raddle_yield();
}

int mtx_init(mtx_t *mutex, int type) {
    if (type & ~(mtx_recursive | mtx_timed))
        return thrd_error;
    return outcome_of(__raddle_mutex_init(mutex, type & mtx_recursive ? 1 : 0));
}

int mtx_lock(mtx_t *mutex) {
    return outcome_of(__raddle_mutex_lock(mutex));
}

int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict at) {
    return outcome_of(pthread_mutex_timedlock((pthread_mutex_t *)mutex, at));
}

int mtx_trylock(mtx_t *mutex) {
    return outcome_of(__raddle_mutex_try_lock(mutex));
}

int mtx_unlock(mtx_t *mutex) {
    return outcome_of(__raddle_mutex_unlock(mutex));
}

void mtx_destroy(mtx_t *mutex) {
    __raddle_mutex_destroy(mutex);
}

int cnd_init(cnd_t *cond) {
    return outcome_of(pthread_cond_init((pthread_cond_t *)cond, NULL));
}

int cnd_signal(cnd_t *cond) {
    return outcome_of(__raddle_cond_signal(cond));
}

int cnd_broadcast(cnd_t *cond) {
    return outcome_of(__raddle_cond_broadcast(cond));
}

int cnd_wait(cnd_t *cond, mtx_t *mutex) {
    return outcome_of(pthread_cond_wait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex));
}

int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
                  const struct timespec *restrict at) {
    return outcome_of(
        pthread_cond_timedwait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, at));
}

void cnd_destroy(cnd_t *cond) {
    __raddle_cond_destroy(cond);
}

void call_once(once_flag *once, void (*function)(void)) {
    pthread_once(once, function);
}
