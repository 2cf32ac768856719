#ifndef RADDLE_SEMAPHORE_H
#define RADDLE_SEMAPHORE_H
#include <raddle/times.h>
#include <sys/types.h>
#if __SIZEOF_POINTER__ == 8
#define __SIZEOF_SEM_T 32
#else
#define __SIZEOF_SEM_T 16
#endif
#define SEM_VALUE_MAX 2147483647
typedef union {
    char __size[__SIZEOF_SEM_T];
    long __align;
} sem_t;
#define SEM_FAILED ((sem_t *)0)
int sem_init(sem_t *, int shared, unsigned value);
int sem_destroy(sem_t *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_timedwait(sem_t *restrict, const struct timespec *restrict);
int sem_clockwait(sem_t *restrict, clockid_t, const struct timespec *restrict);
int sem_post(sem_t *);
int sem_getvalue(sem_t *restrict, int *restrict);
sem_t *sem_open(const char *name, int flags, ...);
int sem_close(sem_t *);
int sem_unlink(const char *name);
#endif
