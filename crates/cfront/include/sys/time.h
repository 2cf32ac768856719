#ifndef RADDLE_SYS_TIME_H
#define RADDLE_SYS_TIME_H
#include <raddle/times.h>
#include <sys/types.h>
struct timezone {
    int tz_minuteswest;
    int tz_dsttime;
};
struct itimerval {
    struct timeval it_interval;
    struct timeval it_value;
};
int gettimeofday(struct timeval *restrict, void *restrict);
int settimeofday(const struct timeval *, const struct timezone *);
int setitimer(int, const struct itimerval *restrict, struct itimerval *restrict);
#define timerclear(t) ((t)->tv_sec = (t)->tv_usec = 0)
#define timerisset(t) ((t)->tv_sec || (t)->tv_usec)
#define timercmp(a, b, op)                                                        \
    ((a)->tv_sec == (b)->tv_sec ? (a)->tv_usec op (b)->tv_usec \
                                : (a)->tv_sec op (b)->tv_sec)
#define timeradd(a, b, sum)                               \
    do {                                                  \
        (sum)->tv_sec = (a)->tv_sec + (b)->tv_sec;        \
        (sum)->tv_usec = (a)->tv_usec + (b)->tv_usec;     \
        if ((sum)->tv_usec >= 1000000) {                  \
            (sum)->tv_sec++;                              \
            (sum)->tv_usec -= 1000000;                    \
        }                                                 \
    } while (0)
#define timersub(a, b, difference)                           \
    do {                                                     \
        (difference)->tv_sec = (a)->tv_sec - (b)->tv_sec;    \
        (difference)->tv_usec = (a)->tv_usec - (b)->tv_usec; \
        if ((difference)->tv_usec < 0) {                     \
            (difference)->tv_sec--;                          \
            (difference)->tv_usec += 1000000;                \
        }                                                    \
    } while (0)
#endif
