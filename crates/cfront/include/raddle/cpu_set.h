/* Sets of processors: accepted by the functions that take them, and without effect. */
#ifndef RADDLE_CPU_SET_H
#define RADDLE_CPU_SET_H
#define _BITS_CPU_SET_H 1
#define __CPU_SETSIZE 1024
#define CPU_SETSIZE __CPU_SETSIZE
typedef struct {
    unsigned long __bits[1024 / (8 * sizeof(unsigned long))];
} cpu_set_t;
#define __CPU_WORD(cpu) ((cpu) / (8 * sizeof(unsigned long)))
#define __CPU_BIT(cpu) (1UL << ((cpu) % (8 * sizeof(unsigned long))))
#define CPU_ZERO(set) __builtin_memset((set), 0, sizeof(cpu_set_t))
#define CPU_SET(cpu, set) ((void)((set)->__bits[__CPU_WORD(cpu)] |= __CPU_BIT(cpu)))
#define CPU_CLR(cpu, set) ((void)((set)->__bits[__CPU_WORD(cpu)] &= ~__CPU_BIT(cpu)))
#define CPU_ISSET(cpu, set) (((set)->__bits[__CPU_WORD(cpu)] & __CPU_BIT(cpu)) != 0)
#define CPU_COUNT(set) __sched_cpucount(sizeof(cpu_set_t), (set))
int __sched_cpucount(__SIZE_TYPE__ size, const cpu_set_t *set);
#endif
