/* Virtual time: the machine's clock, which starts with the run; the calendar is UTC's. */
#include "internal.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

static _Bool is_realtime(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

int __raddle_lib_deadline(clockid_t clock, const struct timespec *at, long long *deadline) {
    long long seconds = at->tv_sec;
    long nanoseconds = at->tv_nsec;
    if (nanoseconds < 0 || nanoseconds >= NANOSECONDS || clock < 0 || clock > CLOCK_BOOTTIME)
        return EINVAL;
    if (is_realtime(clock))
        seconds -= EPOCH;
    if (seconds > 9000000000LL) /* in 285 years, so that the product fits */
        seconds = 9000000000LL;
    *deadline = seconds < 0 ? 0 : seconds * NANOSECONDS + nanoseconds;
    return 0;
}

static struct timespec read_clock(clockid_t clock) {
    long long now = __raddle_now();
    struct timespec result;
    result.tv_sec = (time_t)(now / NANOSECONDS + (is_realtime(clock) ? EPOCH : 0));
    result.tv_nsec = (long)(now % NANOSECONDS);
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *to) {
    if (clock < 0 || clock > CLOCK_BOOTTIME) {
        errno = EINVAL;
        return -1;
    }
    *to = read_clock(clock);
    return 0;
}

int clock_getres(clockid_t clock, struct timespec *to) {
    if (clock < 0 || clock > CLOCK_BOOTTIME) {
        errno = EINVAL;
        return -1;
    }
    if (to) {
        to->tv_sec = 0;
        to->tv_nsec = 1;
    }
    return 0;
}

int timespec_get(struct timespec *to, int base) {
    if (base != TIME_UTC)
        return 0;
    *to = read_clock(CLOCK_REALTIME);
    return base;
}

time_t time(time_t *to) {
    time_t now = read_clock(CLOCK_REALTIME).tv_sec;
    if (to)
        *to = now;
    return now;
}

int gettimeofday(struct timeval *restrict to, void *restrict zone) {
    struct timespec now = read_clock(CLOCK_REALTIME);
    to->tv_sec = now.tv_sec;
    to->tv_usec = now.tv_nsec / 1000;
    if (zone)
        __builtin_memset(zone, 0, sizeof(struct timezone));
    return 0;
}

clock_t clock(void) {
    return (clock_t)(__raddle_now() / 1000);
}

double difftime(time_t later, time_t earlier) {
    return (double)later - (double)earlier;
}

int getrusage(int who, struct rusage *to) {
    long long now = __raddle_now();
    __builtin_memset(to, 0, sizeof *to);
    to->ru_utime.tv_sec = (time_t)(now / NANOSECONDS);
    to->ru_utime.tv_usec = (suseconds_t)(now % NANOSECONDS / 1000);
    return 0;
}

/* Sleeping, here and in unistd.c, is a cancellation point. */
static int sleep_for(long long seconds, long nanoseconds) {
    if (seconds < 0 || nanoseconds < 0 || nanoseconds >= NANOSECONDS)
        return EINVAL;
    if (seconds > 9000000000LL)
        seconds = 9000000000LL;
    pthread_testcancel();
    __raddle_sleep(seconds * NANOSECONDS + nanoseconds);
    pthread_testcancel();
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *span,
                    struct timespec *rest) {
    long long deadline;
    int error;
    if (!(flags & TIMER_ABSTIME))
        return sleep_for(span->tv_sec, span->tv_nsec);
    error = __raddle_lib_deadline(clock, span, &deadline);
    if (error)
        return error;
    deadline -= __raddle_now();
    return deadline > 0 ? sleep_for(deadline / NANOSECONDS, (long)(deadline % NANOSECONDS)) : 0;
}

int nanosleep(const struct timespec *span, struct timespec *rest) {
    int error = sleep_for(span->tv_sec, span->tv_nsec);
    if (error) {
        errno = error;
        return -1;
    }
    if (rest) {
        rest->tv_sec = 0;
        rest->tv_nsec = 0;
    }
    return 0;
}

static _Bool is_leap(long long year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static long long floor_div(long long a, long long b) {
    return a / b - (a % b < 0);
}

/* Days from 1970-01-01 to the first of January of a year. */
static long long days_before_year(long long year) {
    long long y = year - 1;
    return 365 * (year - 1970) + floor_div(y, 4) - floor_div(y, 100) + floor_div(y, 400) - 477;
}

static int days_before_month(long long year, int month) {
    static const short days[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    return days[month] + (month > 1 && is_leap(year));
}

struct tm *gmtime_r(const time_t *restrict when, struct tm *restrict to) {
    long long days = floor_div(*when, 86400);
    long long seconds = *when - days * 86400;
    long long year = 1970 + floor_div(days, 366);
    int month = 0;
    while (days_before_year(year + 1) <= days)
        year++;
    to->tm_wday = (int)((days % 7 + 11) % 7);
    days -= days_before_year(year);
    while (month < 11 && days_before_month(year, month + 1) <= days)
        month++;
    to->tm_sec = (int)(seconds % 60);
    to->tm_min = (int)(seconds / 60 % 60);
    to->tm_hour = (int)(seconds / 3600);
    to->tm_mday = (int)(days - days_before_month(year, month) + 1);
    to->tm_mon = month;
    to->tm_year = (int)(year - 1900);
    to->tm_yday = (int)days;
    to->tm_isdst = 0;
    to->tm_gmtoff = 0;
    to->tm_zone = "GMT";
    return to;
}

struct tm *localtime_r(const time_t *restrict when, struct tm *restrict to) {
    gmtime_r(when, to);
    to->tm_zone = "UTC";
    return to;
}

/* As in glibc, one object for both. */
static SHARED_STATE struct tm localtime_result;

struct tm *gmtime(const time_t *when) {
    struct tm tm;
    localtime_result = *gmtime_r(when, &tm);
    return &localtime_result;
}

struct tm *localtime(const time_t *when) {
    struct tm tm;
    localtime_result = *localtime_r(when, &tm);
    return &localtime_result;
}

time_t timegm(struct tm *tm) {
    long long year = 1900LL + tm->tm_year + floor_div(tm->tm_mon, 12);
    int month = (int)(tm->tm_mon - floor_div(tm->tm_mon, 12) * 12);
    long long days = days_before_year(year) + days_before_month(year, month) + tm->tm_mday - 1;
    time_t result =
        (time_t)(days * 86400 + tm->tm_hour * 3600LL + tm->tm_min * 60LL + tm->tm_sec);
    gmtime_r(&result, tm);
    return result;
}

time_t mktime(struct tm *tm) {
    time_t result = timegm(tm);
    tm->tm_zone = "UTC";
    return result;
}

time_t timelocal(struct tm *tm) {
    return mktime(tm);
}

void tzset(void) {}

static const char *const weekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January", "February", "March",     "April",
                                     "May",     "June",     "July",      "August",
                                     "September", "October", "November", "December"};

char *asctime_r(const struct tm *restrict tm, char *restrict to) {
    sprintf(to, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", weekdays[tm->tm_wday], months[tm->tm_mon],
            tm->tm_mday, tm->tm_hour, tm->tm_min, tm->tm_sec, 1900 + tm->tm_year);
    return to;
}

static SHARED_STATE char asctime_result[64];

char *asctime(const struct tm *tm) {
    char text[sizeof asctime_result];
    asctime_r(tm, text);
    __builtin_memcpy(asctime_result, text, strlen(text) + 1);
    return asctime_result;
}

char *ctime_r(const time_t *restrict when, char *restrict to) {
    struct tm tm;
    return asctime_r(localtime_r(when, &tm), to);
}

char *ctime(const time_t *when) {
    struct tm tm;
    localtime_result = *localtime_r(when, &tm);
    return asctime(&tm);
}

/* The week of the ISO year, and that year. */
static int iso_week(const struct tm *tm, int *year) {
    int weekday = (tm->tm_wday + 6) % 7;
    int week = (tm->tm_yday - weekday + 10) / 7;
    *year = tm->tm_year + 1900;
    if (week < 1) {
        int days = 365 + is_leap(*year - 1);
        --*year;
        return (tm->tm_yday + days - weekday + 10) / 7;
    }
    if (week == 53 && tm->tm_yday - weekday + 3 >= 365 + is_leap(*year)) {
        ++*year;
        return 1;
    }
    return week;
}

/* One conversion of strftime; those that are made of others call themselves. */
static int format_time(char *to, size_t room, char letter, const struct tm *tm) {
    int year = tm->tm_year + 1900;
    int hour12 = tm->tm_hour % 12 ? tm->tm_hour % 12 : 12;
    int week_year;
    struct tm copy = *tm;
    switch (letter) {
    case 'a':
        return snprintf(to, room, "%.3s", weekdays[tm->tm_wday]);
    case 'A':
        return snprintf(to, room, "%s", weekdays[tm->tm_wday]);
    case 'b':
    case 'h':
        return snprintf(to, room, "%.3s", months[tm->tm_mon]);
    case 'B':
        return snprintf(to, room, "%s", months[tm->tm_mon]);
    case 'c':
        return strftime(to, room, "%a %b %e %H:%M:%S %Y", tm);
    case 'C':
        return snprintf(to, room, "%02d", year / 100);
    case 'd':
        return snprintf(to, room, "%02d", tm->tm_mday);
    case 'D':
    case 'x':
        return strftime(to, room, "%m/%d/%y", tm);
    case 'e':
        return snprintf(to, room, "%2d", tm->tm_mday);
    case 'F':
        return strftime(to, room, "%Y-%m-%d", tm);
    case 'g':
        iso_week(tm, &week_year);
        return snprintf(to, room, "%02d", week_year % 100);
    case 'G':
        iso_week(tm, &week_year);
        return snprintf(to, room, "%d", week_year);
    case 'H':
        return snprintf(to, room, "%02d", tm->tm_hour);
    case 'I':
        return snprintf(to, room, "%02d", hour12);
    case 'j':
        return snprintf(to, room, "%03d", tm->tm_yday + 1);
    case 'k':
        return snprintf(to, room, "%2d", tm->tm_hour);
    case 'l':
        return snprintf(to, room, "%2d", hour12);
    case 'm':
        return snprintf(to, room, "%02d", tm->tm_mon + 1);
    case 'M':
        return snprintf(to, room, "%02d", tm->tm_min);
    case 'n':
        return snprintf(to, room, "\n");
    case 'p':
        return snprintf(to, room, "%s", tm->tm_hour < 12 ? "AM" : "PM");
    case 'P':
        return snprintf(to, room, "%s", tm->tm_hour < 12 ? "am" : "pm");
    case 'r':
        return strftime(to, room, "%I:%M:%S %p", tm);
    case 'R':
        return strftime(to, room, "%H:%M", tm);
    case 's':
        return snprintf(to, room, "%ld", timegm(&copy));
    case 'S':
        return snprintf(to, room, "%02d", tm->tm_sec);
    case 't':
        return snprintf(to, room, "\t");
    case 'T':
    case 'X':
        return strftime(to, room, "%H:%M:%S", tm);
    case 'u':
        return snprintf(to, room, "%d", tm->tm_wday ? tm->tm_wday : 7);
    case 'U':
        return snprintf(to, room, "%02d", (tm->tm_yday + 7 - tm->tm_wday) / 7);
    case 'V':
        return snprintf(to, room, "%02d", iso_week(tm, &week_year));
    case 'w':
        return snprintf(to, room, "%d", tm->tm_wday);
    case 'W':
        return snprintf(to, room, "%02d", (tm->tm_yday + 7 - (tm->tm_wday + 6) % 7) / 7);
    case 'y':
        return snprintf(to, room, "%02d", year % 100);
    case 'Y':
        return snprintf(to, room, "%d", year);
    case 'z':
        return snprintf(to, room, "+0000");
    case 'Z':
        return snprintf(to, room, "%s", tm->tm_zone ? tm->tm_zone : "UTC");
    case '%':
        return snprintf(to, room, "%%");
    default:
        __raddle_misuse("strftime with an invalid conversion");
    }
}

size_t strftime(char *restrict to, size_t room, const char *restrict format,
                const struct tm *restrict tm) {
    size_t length = 0;
    for (; *format; format++) {
        int more = 1;
        if (length + 1 >= room)
            return 0;
        if (*format == '%') {
            format++;
            if (*format == 'E' || *format == 'O')
                format++;
            more = format_time(to + length, room - length, *format, tm);
        } else
            to[length] = *format;
        length += more;
        if (length >= room)
            return 0;
    }
    if (room)
        to[length] = 0;
    return length;
}
