/* The types of <pthread.h>: glibc's sizes and alignments, so that objects of both kinds fit.
   The machine knows a lock by its address; of the contents only a mutex's kind matters. */
#ifndef RADDLE_PTHREAD_TYPES_H
#define RADDLE_PTHREAD_TYPES_H
#define _BITS_PTHREADTYPES_COMMON_H 1
#define __have_pthread_attr_t 1

#if __SIZEOF_POINTER__ == 8
#define __SIZEOF_PTHREAD_ATTR_T 56
#define __SIZEOF_PTHREAD_MUTEX_T 40
#define __SIZEOF_PTHREAD_COND_T 48
#define __SIZEOF_PTHREAD_RWLOCK_T 56
#define __SIZEOF_PTHREAD_BARRIER_T 32
#else
#define __SIZEOF_PTHREAD_ATTR_T 36
#define __SIZEOF_PTHREAD_MUTEX_T 24
#define __SIZEOF_PTHREAD_COND_T 48
#define __SIZEOF_PTHREAD_RWLOCK_T 32
#define __SIZEOF_PTHREAD_BARRIER_T 20
#endif

typedef unsigned long pthread_t;
typedef unsigned int pthread_key_t;
typedef int pthread_once_t;
typedef volatile int pthread_spinlock_t;

union pthread_attr_t {
    char __size[__SIZEOF_PTHREAD_ATTR_T];
    long __align;
};
typedef union pthread_attr_t pthread_attr_t;

typedef union {
    char __size[4];
    int __align;
} pthread_mutexattr_t;

typedef union {
    char __size[4];
    int __align;
} pthread_condattr_t;

typedef union {
    char __size[8];
    long __align;
} pthread_rwlockattr_t;

typedef union {
    char __size[4];
    int __align;
} pthread_barrierattr_t;

typedef union {
    struct {
        int __lock;
        unsigned __count;
        int __owner;
#if __SIZEOF_POINTER__ == 8
        unsigned __users;
#endif
        int __kind;
    } __data;
    char __size[__SIZEOF_PTHREAD_MUTEX_T];
    long __align;
} pthread_mutex_t;

typedef union {
    char __size[__SIZEOF_PTHREAD_COND_T];
    long long __align;
} pthread_cond_t;

typedef union {
    char __size[__SIZEOF_PTHREAD_RWLOCK_T];
    long __align;
} pthread_rwlock_t;

typedef union {
    char __size[__SIZEOF_PTHREAD_BARRIER_T];
    long __align;
} pthread_barrier_t;
#endif
