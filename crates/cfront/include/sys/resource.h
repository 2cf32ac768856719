#ifndef RADDLE_SYS_RESOURCE_H
#define RADDLE_SYS_RESOURCE_H
#include <raddle/times.h>
#include <sys/types.h>
#define RUSAGE_SELF 0
#define RUSAGE_THREAD 1
#define RLIMIT_STACK 3
#define RLIMIT_AS 9
#define RLIMIT_NOFILE 7
#define RLIM_INFINITY (~0UL)
typedef unsigned long rlim_t;
struct rlimit {
    rlim_t rlim_cur;
    rlim_t rlim_max;
};
struct rusage {
    struct timeval ru_utime;
    struct timeval ru_stime;
    long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock;
    long ru_oublock, ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw;
};
int getrusage(int, struct rusage *);
int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);
#endif
