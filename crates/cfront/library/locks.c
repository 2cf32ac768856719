/* Mutexes, condition variables, read-write locks, spin locks and barriers: the machine has them;
   here are their attributes and the times until which to wait. */
#include "internal.h"
#include <pthread.h>

static _Bool is_shared_or_private(int value) {
    return value == PTHREAD_PROCESS_PRIVATE || value == PTHREAD_PROCESS_SHARED;
}

/* A pthread_mutexattr_t: fields of an unsigned int. */
#define TYPE_SHIFT 0
#define PSHARED_SHIFT 2
#define ROBUST_SHIFT 3
#define PROTOCOL_SHIFT 4

static int attr_field(const void *attr, int shift, unsigned mask) {
    return (int)(*(const unsigned *)attr >> shift & mask);
}

static int set_attr_field(void *attr, int shift, unsigned mask, int value) {
    if (value < 0 || (unsigned)value > mask)
        return EINVAL;
    *(unsigned *)attr = (*(unsigned *)attr & ~(mask << shift)) | (unsigned)value << shift;
    return 0;
}

int pthread_mutexattr_init(pthread_mutexattr_t *attr) {
    *(unsigned *)attr = 0;
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr) {
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type) {
    return set_attr_field(attr, TYPE_SHIFT, 3, type);
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *restrict attr, int *restrict type) {
    *type = attr_field(attr, TYPE_SHIFT, 3);
    return 0;
}

/* The older name of settype. */
int pthread_mutexattr_setkind_np(pthread_mutexattr_t *attr, int type) {
    return pthread_mutexattr_settype(attr, type);
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int value) {
    return set_attr_field(attr, PSHARED_SHIFT, 1, value);
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *restrict attr, int *restrict value) {
    *value = attr_field(attr, PSHARED_SHIFT, 1);
    return 0;
}

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int value) {
    return set_attr_field(attr, ROBUST_SHIFT, 1, value);
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *restrict attr, int *restrict value) {
    *value = attr_field(attr, ROBUST_SHIFT, 1);
    return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int value) {
    return value == 3 ? EINVAL : set_attr_field(attr, PROTOCOL_SHIFT, 3, value);
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *restrict attr, int *restrict value) {
    *value = attr_field(attr, PROTOCOL_SHIFT, 3);
    return 0;
}

int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attr, int ceiling) {
    return ceiling >= 1 && ceiling <= 99 ? 0 : EINVAL;
}

int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *restrict attr,
                                     int *restrict ceiling) {
    *ceiling = 1;
    return 0;
}

/* Threads have no priorities here, so that protocols make no difference. */
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr) {
    int type = attr ? attr_field(attr, TYPE_SHIFT, 3) : PTHREAD_MUTEX_NORMAL;
    if (attr && attr_field(attr, ROBUST_SHIFT, 1))
        __raddle_unsupported("pthread_mutex_init of a robust mutex");
    return __raddle_mutex_init(mutex, type == PTHREAD_MUTEX_ADAPTIVE_NP ? 0 : type);
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) {
    return __raddle_mutex_destroy(mutex);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    return __raddle_mutex_lock(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    return __raddle_mutex_try_lock(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    return __raddle_mutex_unlock(mutex);
}

/* An invalid time is an error only for those who have to wait. */
int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
                            const struct timespec *restrict at) {
    long long deadline;
    int error;
    if (__raddle_lib_deadline(clock, at, &deadline)) {
        error = __raddle_mutex_try_lock(mutex);
        return error == EBUSY ? EINVAL : error;
    }
    return __raddle_mutex_timed_lock(mutex, deadline);
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict at) {
    return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, at);
}

int pthread_mutex_consistent(pthread_mutex_t *mutex) {
    return EINVAL;
}

int pthread_mutex_getprioceiling(const pthread_mutex_t *restrict mutex, int *restrict ceiling) {
    return EINVAL;
}

int pthread_mutex_setprioceiling(pthread_mutex_t *restrict mutex, int ceiling, int *restrict old) {
    return EINVAL;
}

/* A pthread_condattr_t: bit 0 for sharing, the others for the clock. A pthread_cond_t begins with
   the clock of its deadlines; that is 0, the real-time clock's number, in a static one. */

int pthread_condattr_init(pthread_condattr_t *attr) {
    *(int *)attr = 0;
    return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attr) {
    return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    return set_attr_field(attr, 1, 1, clock);
}

int pthread_condattr_getclock(const pthread_condattr_t *restrict attr, clockid_t *restrict clock) {
    *clock = attr_field(attr, 1, 1);
    return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attr, int value) {
    return set_attr_field(attr, 0, 1, value);
}

int pthread_condattr_getpshared(const pthread_condattr_t *restrict attr, int *restrict value) {
    *value = attr_field(attr, 0, 1);
    return 0;
}

int pthread_cond_init(pthread_cond_t *restrict cond, const pthread_condattr_t *restrict attr) {
    *(int *)cond = attr ? attr_field(attr, 1, 1) : CLOCK_REALTIME;
    return __raddle_cond_init(cond);
}

int pthread_cond_destroy(pthread_cond_t *cond) {
    return __raddle_cond_destroy(cond);
}

int pthread_cond_signal(pthread_cond_t *cond) {
    return __raddle_cond_signal(cond);
}

int pthread_cond_broadcast(pthread_cond_t *cond) {
    return __raddle_cond_broadcast(cond);
}

int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex) {
    int error;
    __raddle_lib_begin_wait();
    error = __raddle_cond_wait(cond, mutex);
    __raddle_lib_end_wait();
    return error;
}

int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                           clockid_t clock, const struct timespec *restrict at) {
    long long deadline;
    int error = __raddle_lib_deadline(clock, at, &deadline);
    if (error)
        return error;
    __raddle_lib_begin_wait();
    error = __raddle_cond_timed_wait(cond, mutex, deadline);
    __raddle_lib_end_wait();
    return error;
}

int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict at) {
    return pthread_cond_clockwait(cond, mutex, *(const int *)cond, at);
}

/* A pthread_rwlockattr_t: the kind and whether it is shared. */

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr) {
    __builtin_memset(attr, 0, sizeof *attr);
    return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr) {
    return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int value) {
    if (!is_shared_or_private(value))
        return EINVAL;
    ((int *)attr)[1] = value;
    return 0;
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *restrict attr,
                                  int *restrict value) {
    *value = ((const int *)attr)[1];
    return 0;
}

int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind) {
    if (kind < 0 || kind > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
        return EINVAL;
    ((int *)attr)[0] = kind;
    return 0;
}

int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *restrict attr, int *restrict kind) {
    *kind = ((const int *)attr)[0];
    return 0;
}

int pthread_rwlock_init(pthread_rwlock_t *restrict lock,
                        const pthread_rwlockattr_t *restrict attr) {
    return __raddle_rwlock_init(lock, attr ? ((const int *)attr)[0] : 0);
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
    return __raddle_rwlock_destroy(lock);
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    return __raddle_rwlock_read(lock);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    return __raddle_rwlock_try_read(lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    return __raddle_rwlock_write(lock);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
    return __raddle_rwlock_try_write(lock);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    return __raddle_rwlock_unlock(lock);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                               const struct timespec *restrict at) {
    long long deadline;
    if (__raddle_lib_deadline(clock, at, &deadline)) {
        int error = __raddle_rwlock_try_read(lock);
        return error == EBUSY ? EINVAL : error;
    }
    return __raddle_rwlock_timed_read(lock, deadline);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock,
                               const struct timespec *restrict at) {
    return pthread_rwlock_clockrdlock(lock, CLOCK_REALTIME, at);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                               const struct timespec *restrict at) {
    long long deadline;
    if (__raddle_lib_deadline(clock, at, &deadline)) {
        int error = __raddle_rwlock_try_write(lock);
        return error == EBUSY ? EINVAL : error;
    }
    return __raddle_rwlock_timed_write(lock, deadline);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock,
                               const struct timespec *restrict at) {
    return pthread_rwlock_clockwrlock(lock, CLOCK_REALTIME, at);
}

int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
    return is_shared_or_private(shared) ? __raddle_spin_init((void *)lock) : EINVAL;
}

int pthread_spin_destroy(pthread_spinlock_t *lock) {
    return __raddle_spin_destroy((void *)lock);
}

int pthread_spin_lock(pthread_spinlock_t *lock) {
    return __raddle_spin_lock((void *)lock);
}

int pthread_spin_trylock(pthread_spinlock_t *lock) {
    return __raddle_spin_try_lock((void *)lock);
}

int pthread_spin_unlock(pthread_spinlock_t *lock) {
    return __raddle_spin_unlock((void *)lock);
}

int pthread_barrierattr_init(pthread_barrierattr_t *attr) {
    *(int *)attr = 0;
    return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attr) {
    return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int value) {
    if (!is_shared_or_private(value))
        return EINVAL;
    *(int *)attr = value;
    return 0;
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *restrict attr,
                                   int *restrict value) {
    *value = *(const int *)attr;
    return 0;
}

int pthread_barrier_init(pthread_barrier_t *restrict barrier,
                         const pthread_barrierattr_t *restrict attr, unsigned count) {
    return __raddle_barrier_init(barrier, count);
}

int pthread_barrier_destroy(pthread_barrier_t *barrier) {
    return __raddle_barrier_destroy(barrier);
}

int pthread_barrier_wait(pthread_barrier_t *barrier) {
    return __raddle_barrier_wait(barrier);
}
