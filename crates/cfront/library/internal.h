/* What the library's files know of each other. Everything shared is named __raddle_lib_…, and
   whoever changes shared state in more than one step does it between atomic_begin and
   atomic_end. */
#ifndef RADDLE_INTERNAL_H
#define RADDLE_INTERNAL_H
#include "primitives.h"
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

/* State that calls of different threads share, as the standard allows: the accesses to it are events
   and can race. Each call touches it as a whole, so that two calls make one race and not one for
   each byte. All other state of the library is nothing that programs can notice. */
#define SHARED_STATE __attribute__((__raddle_shared__))

/* A stream. Programs only have pointers to it. */
struct _IO_FILE {
    int fd;
    int failed;
    int ended;
    int n_pushed;
    unsigned char pushed[4];
};

/* Where formatted output goes: a caller's buffer, of which what does not fit is only counted, or
   one that grows. */
struct __raddle_lib_sink {
    char *bytes;
    size_t room;
    size_t length;
    _Bool grows;
    _Bool on_heap;
};

/* Arguments of a variadic function: a va_list may be an array, which parameters cannot be. */
struct __raddle_lib_arguments {
    va_list list;
};

void __raddle_lib_format(struct __raddle_lib_sink *, const char *format,
                         struct __raddle_lib_arguments *);
int __raddle_lib_next_byte(struct _IO_FILE *);

/* Reads bytes of the program, before a primitive does, whose accesses are no events. */
void __raddle_lib_look_at(const void *, size_t);
unsigned long long __raddle_lib_magnitude(const char *, char **end, int base, _Bool *negative,
                                          _Bool *overflow);

/* Second 0 of virtual time is 2024-01-01T00:00:00Z. */
#define EPOCH 1704067200LL
#define NANOSECONDS 1000000000LL

/* Converts an absolute time of a clock; 0, or EINVAL. */
int __raddle_lib_deadline(clockid_t, const struct timespec *, long long *deadline);

/* Set by the first pthread_key_create: runs the destructors of this thread's values. */
extern void (*__raddle_lib_key_destructors)(void);
/* Set by the first atexit, so that the last thread to end knows whether to call exit. */
extern _Bool __raddle_lib_has_exit_functions;
NORETURN void __raddle_lib_end_thread(void *result);

/* Around every call that waits and is a cancellation point. */
void __raddle_lib_begin_wait(void);
void __raddle_lib_end_wait(void);
#endif
