#ifndef RADDLE_SCHED_H
#define RADDLE_SCHED_H
#include <stddef.h>
#include <sys/types.h>
#include <raddle/cpu_set.h>
#include <raddle/times.h>
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define SCHED_BATCH 3
#define SCHED_IDLE 5
struct sched_param {
    int sched_priority;
};
#define _BITS_TYPES_STRUCT_SCHED_PARAM 1
int sched_yield(void);
int sched_get_priority_max(int policy);
int sched_get_priority_min(int policy);
int sched_setscheduler(pid_t, int policy, const struct sched_param *);
int sched_getscheduler(pid_t);
int sched_setparam(pid_t, const struct sched_param *);
int sched_getparam(pid_t, struct sched_param *);
int sched_setaffinity(pid_t, size_t, const cpu_set_t *);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
int sched_getcpu(void);
#endif
