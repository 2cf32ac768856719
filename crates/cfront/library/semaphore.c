/* Unnamed semaphores: errors go to errno. */
#include "internal.h"
#include <semaphore.h>

static int result_of(int error) {
    if (error)
        errno = error;
    return error ? -1 : 0;
}

int sem_init(sem_t *sem, int shared, unsigned value) {
    return result_of(__raddle_sem_init(sem, value));
}

int sem_destroy(sem_t *sem) {
    return result_of(__raddle_sem_destroy(sem));
}

int sem_wait(sem_t *sem) {
    int error;
    __raddle_lib_begin_wait();
    error = __raddle_sem_wait(sem);
    __raddle_lib_end_wait();
    return result_of(error);
}

int sem_trywait(sem_t *sem) {
    return result_of(__raddle_sem_try_wait(sem));
}

int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict at) {
    long long deadline;
    int error;
    error = __raddle_lib_deadline(clock, at, &deadline);
    if (error)
        return result_of(error);
    __raddle_lib_begin_wait();
    error = __raddle_sem_timed_wait(sem, deadline);
    __raddle_lib_end_wait();
    return result_of(error);
}

int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict at) {
    return sem_clockwait(sem, CLOCK_REALTIME, at);
}

int sem_post(sem_t *sem) {
    return result_of(__raddle_sem_post(sem));
}

int sem_getvalue(sem_t *restrict sem, int *restrict value) {
    *value = __raddle_sem_value(sem);
    return 0;
}
