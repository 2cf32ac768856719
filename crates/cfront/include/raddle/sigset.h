/* Sets of signals. */
#ifndef RADDLE_SIGSET_H
#define RADDLE_SIGSET_H
#ifndef __sigset_t_defined
#define __sigset_t_defined 1
typedef struct {
    unsigned long __val[1024 / (8 * sizeof(unsigned long))];
} __sigset_t;
typedef __sigset_t sigset_t;
#endif
#endif
