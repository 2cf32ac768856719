/* Cancellation at the points that a thread reaches: pthread_testcancel, sleeping, and the start of
   calls that wait. To cancel a thread that waits already, or an asynchronously cancellable one, is
   refused: nothing can wake it. */
#include "internal.h"
#include <pthread.h>

#define MAX_CANCELLABLE 256

enum { REQUESTED = 1, DISABLED = 2, ASYNCHRONOUS = 4, WAITING = 8 };

/* By the number of the thread. */
static unsigned char cancel_flags[MAX_CANCELLABLE];

static unsigned char *own_flags(void) {
    static unsigned char none;
    unsigned long self = __raddle_thread_self();
    return self < MAX_CANCELLABLE ? &cancel_flags[self] : &none;
}

static _Bool is_due(unsigned char flags) {
    return (flags & (REQUESTED | DISABLED)) == REQUESTED;
}

static NORETURN void act(unsigned char *flags) {
    *flags = DISABLED;
    __raddle_lib_end_thread(PTHREAD_CANCELED);
}

void pthread_testcancel(void) {
    unsigned char *flags = own_flags();
    if (is_due(*flags))
        act(flags);
}

void __raddle_lib_begin_wait(void) {
    unsigned char *flags = own_flags();
    _Bool due;
    __raddle_atomic_begin();
    due = is_due(*flags);
    if (!due)
        *flags |= WAITING;
    __raddle_atomic_end();
    if (due)
        act(flags);
}

void __raddle_lib_end_wait(void) {
    *own_flags() &= (unsigned char)~WAITING;
}

int pthread_cancel(pthread_t thread) {
    _Bool self = thread == __raddle_thread_self();
    unsigned char flags;
    if (thread >= MAX_CANCELLABLE)
        __raddle_unsupported("pthread_cancel of a thread with a number above 255");
    __raddle_atomic_begin();
    flags = cancel_flags[thread];
    if (!(flags & DISABLED) && (flags & WAITING))
        __raddle_unsupported("pthread_cancel of a thread that waits");
    if (!self && !(flags & DISABLED) && (flags & ASYNCHRONOUS))
        __raddle_unsupported("pthread_cancel of an asynchronously cancellable thread");
    cancel_flags[thread] = flags | REQUESTED;
    __raddle_atomic_end();
    if (self && (flags & ASYNCHRONOUS))
        pthread_testcancel();
    return 0;
}

static void change(unsigned char bit, int on, int *old) {
    unsigned char *flags = own_flags();
    __raddle_atomic_begin();
    if (old)
        *old = (*flags & bit) != 0;
    *flags = on ? *flags | bit : *flags & ~bit;
    __raddle_atomic_end();
}

int pthread_setcancelstate(int state, int *old) {
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    change(DISABLED, state == PTHREAD_CANCEL_DISABLE, old);
    return 0;
}

int pthread_setcanceltype(int type, int *old) {
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    change(ASYNCHRONOUS, type == PTHREAD_CANCEL_ASYNCHRONOUS, old);
    if (type == PTHREAD_CANCEL_ASYNCHRONOUS)
        pthread_testcancel();
    return 0;
}
