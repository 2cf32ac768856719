/* Threads: their start, their end, and what is attached to them. */
#include "internal.h"
#include <pthread.h>
#include <string.h>

void (*__raddle_lib_key_destructors)(void);

static int n_live = 1;
static _Thread_local struct _pthread_cleanup_buffer *cleanups;
/* Handlers of glibc's macros that are in force: they can only be reached by a jump. */
static _Thread_local int n_unreachable_cleanups;

/* What a pthread_attr_t holds. */
struct attributes {
    int detached;
    int scope;
    int inherit;
    int policy;
    int priority;
    size_t stack_size;
    size_t guard_size;
    void *stack;
};
_Static_assert(sizeof(struct attributes) <= sizeof(pthread_attr_t), "attributes fit");

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
                   void *(*function)(void *), void *restrict argument) {
    int detached = attr ? ((const struct attributes *)attr)->detached : 0;
    unsigned long id = __raddle_thread_new(function, argument, detached);
    if (!id)
        return EAGAIN;
    __raddle_atomic_begin();
    n_live++;
    __raddle_atomic_end();
    *thread = id;
    __raddle_thread_start(id);
    return 0;
}

/* The last thread to end behaves like exit(0), for which the machine need only be told if there
   is more to do than to end. */
void __raddle_lib_end_thread(void *result) {
    void exit(int);
    _Bool last;
    if (n_unreachable_cleanups)
        __raddle_unsupported("pthread_exit between pthread_cleanup_push and pop of glibc's header");
    while (cleanups)
        _pthread_cleanup_pop(cleanups, 1);
    if (__raddle_lib_key_destructors)
        __raddle_lib_key_destructors();
    __raddle_atomic_begin();
    last = --n_live == 0;
    __raddle_atomic_end();
    if (last && __raddle_lib_has_exit_functions)
        exit(0);
    __raddle_thread_exit(result);
}

void pthread_exit(void *result) {
    __raddle_lib_end_thread(result);
}

int pthread_join(pthread_t thread, void **result) {
    int error;
    __raddle_lib_begin_wait();
    error = __raddle_thread_join(thread, result);
    __raddle_lib_end_wait();
    return error;
}

int pthread_tryjoin_np(pthread_t thread, void **result) {
    return __raddle_thread_try_join(thread, result);
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                         const struct timespec *at) {
    long long deadline;
    int error;
    if (!at)
        return pthread_join(thread, result);
    error = __raddle_lib_deadline(clock, at, &deadline);
    if (error)
        return error;
    __raddle_lib_begin_wait();
    error = __raddle_thread_timed_join(thread, result, deadline);
    __raddle_lib_end_wait();
    return error;
}

int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *at) {
    return pthread_clockjoin_np(thread, result, CLOCK_REALTIME, at);
}

int pthread_detach(pthread_t thread) {
    return __raddle_thread_detach(thread);
}

pthread_t pthread_self(void) {
    return __raddle_thread_self();
}

int pthread_equal(pthread_t a, pthread_t b) {
    return a == b;
}

int pthread_once(pthread_once_t *once, void (*function)(void)) {
    if (__raddle_once_begin(once)) {
        function();
        __raddle_once_end(once);
    }
    return 0;
}

int pthread_yield(void) {
    __raddle_yield();
    return 0;
}

/* Cleanup handlers. */

void _pthread_cleanup_push(struct _pthread_cleanup_buffer *buffer, void (*routine)(void *),
                           void *argument) {
    buffer->__routine = routine;
    buffer->__arg = argument;
    buffer->__prev = cleanups;
    cleanups = buffer;
}

void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *buffer, int execute) {
    cleanups = buffer->__prev;
    if (execute)
        buffer->__routine(buffer->__arg);
}

/* glibc's macros in preprocessed files: push is a setjmp to which an exit would jump back. Without
   an exit in between everything works; with one, the run ends as unsupported. */
void __pthread_register_cancel(void *buffer) {
    n_unreachable_cleanups++;
}

void __pthread_unregister_cancel(void *buffer) {
    n_unreachable_cleanups--;
}

void __pthread_unwind_next(void *buffer) {
    __raddle_unsupported("__pthread_unwind_next");
}

int __sigsetjmp_cancel(void *buffer, int save_mask) {
    return 0;
}

struct __pthread_cleanup_frame {
    void (*__cancel_routine)(void *);
    void *__cancel_arg;
    int __do_it;
    int __cancel_type;
};

void __pthread_cleanup_routine(struct __pthread_cleanup_frame *frame) {
    if (frame->__do_it)
        frame->__cancel_routine(frame->__cancel_arg);
}

/* Attributes: the detach state counts, the others are kept. */

int pthread_attr_init(pthread_attr_t *attr) {
    static const struct attributes defaults = {.stack_size = 8 << 20, .guard_size = 4096};
    *(struct attributes *)attr = defaults;
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr) {
    return 0;
}

int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr) {
    return pthread_attr_init(attr);
}

/* Setters and getters of an attribute: EINVAL unless the condition on `value` holds. */
#define ATTRIBUTE(name, type, field, condition)                                            \
    int pthread_attr_set##name(pthread_attr_t *attr, type value) {                         \
        if (!(condition))                                                                  \
            return EINVAL;                                                                 \
        ((struct attributes *)attr)->field = value;                                        \
        return 0;                                                                          \
    }                                                                                      \
    int pthread_attr_get##name(const pthread_attr_t *restrict attr, type *restrict value) { \
        *value = ((const struct attributes *)attr)->field;                                 \
        return 0;                                                                          \
    }

ATTRIBUTE(detachstate, int, detached, value == 0 || value == 1)
ATTRIBUTE(inheritsched, int, inherit, value == 0 || value == 1)
ATTRIBUTE(schedpolicy, int, policy, value >= SCHED_OTHER && value <= SCHED_RR)
ATTRIBUTE(stacksize, size_t, stack_size, value >= PTHREAD_STACK_MIN)
ATTRIBUTE(guardsize, size_t, guard_size, 1)

int pthread_attr_setscope(pthread_attr_t *attr, int value) {
    if (value == PTHREAD_SCOPE_PROCESS)
        return ENOTSUP;
    if (value != PTHREAD_SCOPE_SYSTEM)
        return EINVAL;
    ((struct attributes *)attr)->scope = value;
    return 0;
}

int pthread_attr_getscope(const pthread_attr_t *restrict attr, int *restrict value) {
    *value = ((const struct attributes *)attr)->scope;
    return 0;
}

int pthread_attr_setschedparam(pthread_attr_t *restrict attr,
                               const struct sched_param *restrict param) {
    ((struct attributes *)attr)->priority = param->sched_priority;
    return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *restrict attr,
                               struct sched_param *restrict param) {
    param->sched_priority = ((const struct attributes *)attr)->priority;
    return 0;
}

int pthread_attr_setstack(pthread_attr_t *attr, void *stack, size_t size) {
    if (size < PTHREAD_STACK_MIN)
        return EINVAL;
    ((struct attributes *)attr)->stack = stack;
    ((struct attributes *)attr)->stack_size = size;
    return 0;
}

int pthread_attr_getstack(const pthread_attr_t *restrict attr, void **restrict stack,
                          size_t *restrict size) {
    *stack = ((const struct attributes *)attr)->stack;
    *size = ((const struct attributes *)attr)->stack_size;
    return 0;
}

int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *set) {
    return 0;
}

/* Names and scheduling: kept or ignored. */

#define MAX_NAMED 256
#define NAME_SIZE 16
static char names[MAX_NAMED][NAME_SIZE];

int pthread_setname_np(pthread_t thread, const char *name) {
    if (strlen(name) >= NAME_SIZE)
        return ERANGE;
    if (thread < MAX_NAMED)
        strcpy(names[thread], name);
    return 0;
}

int pthread_getname_np(pthread_t thread, char *name, size_t room) {
    const char *known = thread < MAX_NAMED && names[thread][0] ? names[thread] : "program";
    if (strlen(known) >= room)
        return ERANGE;
    strcpy(name, known);
    return 0;
}

static int concurrency;

int pthread_setconcurrency(int level) {
    if (level < 0)
        return EINVAL;
    concurrency = level;
    return 0;
}

int pthread_getconcurrency(void) {
    return concurrency;
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param) {
    return 0;
}

int pthread_getschedparam(pthread_t thread, int *restrict policy,
                          struct sched_param *restrict param) {
    *policy = SCHED_OTHER;
    param->sched_priority = 0;
    return 0;
}

int pthread_setschedprio(pthread_t thread, int priority) {
    return 0;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set) {
    return 0;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
    return sched_getaffinity(0, size, set);
}

int pthread_getcpuclockid(pthread_t thread, clockid_t *clock) {
    *clock = CLOCK_THREAD_CPUTIME_ID;
    return 0;
}
