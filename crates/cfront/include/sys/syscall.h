#ifndef RADDLE_SYS_SYSCALL_H
#define RADDLE_SYS_SYSCALL_H
#if __SIZEOF_POINTER__ == 8
#define SYS_gettid 186
#define SYS_futex 202
#define SYS_getpid 39
#define SYS_sched_yield 24
#define SYS_getcpu 309
#define SYS_membarrier 324
#else
#define SYS_gettid 224
#define SYS_futex 240
#define SYS_getpid 20
#define SYS_sched_yield 158
#define SYS_getcpu 318
#define SYS_membarrier 375
#endif
#define __NR_gettid SYS_gettid
#define __NR_futex SYS_futex
#define __NR_getpid SYS_getpid
#define __NR_sched_yield SYS_sched_yield
#define __NR_getcpu SYS_getcpu
#define __NR_membarrier SYS_membarrier
#endif
