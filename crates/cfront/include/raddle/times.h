/* struct timespec and struct timeval, under the guards that the system's own headers look at. */
#ifndef RADDLE_TIMES_H
#define RADDLE_TIMES_H
typedef int __sig_atomic_t;
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
typedef void *timer_t;
typedef long suseconds_t;
#define __time_t_defined 1
#define __clock_t_defined 1
#define __clockid_t_defined 1
#define __timer_t_defined 1
#define __suseconds_t_defined 1
#ifndef _STRUCT_TIMESPEC
#define _STRUCT_TIMESPEC 1
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
#endif
#ifndef __timeval_defined
#define __timeval_defined 1
struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};
#endif
#endif
