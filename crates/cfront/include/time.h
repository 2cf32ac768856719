/* Virtual time; see the documentation of the C library. */
#ifndef RADDLE_TIME_H
#define RADDLE_TIME_H
#include <raddle/times.h>
#include <stddef.h>
#include <sys/types.h>
#define CLOCKS_PER_SEC ((clock_t)1000000)
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_MONOTONIC_COARSE 6
#define CLOCK_BOOTTIME 7
#define TIMER_ABSTIME 1
#define TIME_UTC 1
#ifndef __struct_tm_defined
#define __struct_tm_defined 1
struct tm {
    int tm_sec;
    int tm_min;
    int tm_hour;
    int tm_mday;
    int tm_mon;
    int tm_year;
    int tm_wday;
    int tm_yday;
    int tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};
#endif
#ifndef __itimerspec_defined
#define __itimerspec_defined 1
struct itimerspec {
    struct timespec it_interval;
    struct timespec it_value;
};
#endif
time_t time(time_t *);
clock_t clock(void);
double difftime(time_t, time_t);
time_t mktime(struct tm *);
time_t timegm(struct tm *);
time_t timelocal(struct tm *);
struct tm *gmtime(const time_t *);
struct tm *gmtime_r(const time_t *restrict, struct tm *restrict);
struct tm *localtime(const time_t *);
struct tm *localtime_r(const time_t *restrict, struct tm *restrict);
char *asctime(const struct tm *);
char *asctime_r(const struct tm *restrict, char *restrict);
char *ctime(const time_t *);
char *ctime_r(const time_t *restrict, char *restrict);
size_t strftime(char *restrict, size_t, const char *restrict format, const struct tm *restrict);
void tzset(void);
int clock_gettime(clockid_t, struct timespec *);
int clock_getres(clockid_t, struct timespec *);
int clock_settime(clockid_t, const struct timespec *);
int clock_nanosleep(clockid_t, int flags, const struct timespec *, struct timespec *);
int nanosleep(const struct timespec *, struct timespec *);
int timespec_get(struct timespec *, int base);
#endif
