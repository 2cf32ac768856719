/* POSIX's process environment, as far as one process without files has it; and scheduling
   parameters, which are accepted and have no effect. */
#include "internal.h"
#include <sched.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROCESS 1000
#define N_PROCESSORS 4

static char *no_environment[] = {NULL};
char **environ = no_environment;

ssize_t write(int fd, const void *from, size_t count) {
    if (fd != 1 && fd != 2)
        __raddle_unsupported("write on a file");
    __raddle_lib_look_at(from, count);
    return __raddle_write(fd, from, count);
}

ssize_t read(int fd, void *to, size_t count) {
    if (fd != 0)
        __raddle_unsupported("read from a file");
    /* Bytes go where the program wants them by accesses of its own; no other thread reads in between. */
    size_t done = 0;
    __raddle_atomic_begin();
    while (done < count) {
        char part[64];
        size_t room = count - done < sizeof part ? count - done : sizeof part;
        long length = __raddle_read(fd, part, room);
        memcpy((char *)to + done, part, length);
        done += length;
        if ((size_t)length < room)
            break;
    }
    __raddle_atomic_end();
    return done;
}

int close(int fd) {
    if (fd < 0 || fd > 2) {
        errno = EBADF;
        return -1;
    }
    return 0;
}

int fsync(int fd) {
    return 0;
}

int isatty(int fd) {
    errno = ENOTTY;
    return 0;
}

static void sleep_nanoseconds(long long span) {
    pthread_testcancel();
    __raddle_sleep(span);
    pthread_testcancel();
}

unsigned sleep(unsigned seconds) {
    sleep_nanoseconds(seconds * NANOSECONDS);
    return 0;
}

int usleep(useconds_t microseconds) {
    sleep_nanoseconds(microseconds * 1000LL);
    return 0;
}

pid_t getpid(void) {
    return PROCESS;
}

pid_t getppid(void) {
    return 1;
}

pid_t gettid(void) {
    return PROCESS - 1 + (pid_t)__raddle_thread_self();
}

uid_t getuid(void) {
    return 1000;
}

uid_t geteuid(void) {
    return 1000;
}

gid_t getgid(void) {
    return 1000;
}

gid_t getegid(void) {
    return 1000;
}

int gethostname(char *to, size_t room) {
    return strlcpy(to, "localhost", room) < room ? 0 : (errno = ENAMETOOLONG, -1);
}

int getpagesize(void) {
    return 4096;
}

long sysconf(int name) {
    switch (name) {
    case _SC_CLK_TCK:
        return 100;
    case _SC_OPEN_MAX:
        return 1024;
    case _SC_PAGESIZE:
        return 4096;
    case _SC_SEM_VALUE_MAX:
        return SEM_VALUE_MAX;
    case _SC_THREAD_KEYS_MAX:
        return 128;
    case _SC_THREAD_STACK_MIN:
        return PTHREAD_STACK_MIN;
    case _SC_THREAD_THREADS_MAX:
        return -1;
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN:
        return N_PROCESSORS;
    case _SC_PHYS_PAGES:
        return 1L << 20;
    case _SC_LEVEL1_DCACHE_LINESIZE:
        return 64;
    default:
        errno = EINVAL;
        return -1;
    }
}

long syscall(long number, ...) {
    switch (number) {
    case SYS_gettid:
        return gettid();
    case SYS_getpid:
        return getpid();
    case SYS_sched_yield:
        return sched_yield();
    default:
        __raddle_unsupported("syscall");
    }
}

int getrlimit(int resource, struct rlimit *to) {
    to->rlim_cur = RLIM_INFINITY;
    to->rlim_max = RLIM_INFINITY;
    return 0;
}

int setrlimit(int resource, const struct rlimit *limit) {
    return 0;
}

int mlockall(int flags) {
    return 0;
}

int sched_yield(void) {
    __raddle_yield();
    return 0;
}

int sched_get_priority_max(int policy) {
    return policy == SCHED_FIFO || policy == SCHED_RR ? 99 : 0;
}

int sched_get_priority_min(int policy) {
    return policy == SCHED_FIFO || policy == SCHED_RR ? 1 : 0;
}

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param) {
    return 0;
}

int sched_getscheduler(pid_t pid) {
    return SCHED_OTHER;
}

int sched_setparam(pid_t pid, const struct sched_param *param) {
    return 0;
}

int sched_getparam(pid_t pid, struct sched_param *param) {
    param->sched_priority = 0;
    return 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set) {
    return 0;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
    __builtin_memset(set, 0, size);
    for (int cpu = 0; cpu < N_PROCESSORS; cpu++)
        CPU_SET(cpu, set);
    return 0;
}

int sched_getcpu(void) {
    return (int)(__raddle_thread_self() % N_PROCESSORS);
}

int __sched_cpucount(size_t size, const cpu_set_t *set) {
    int count = 0;
    for (size_t cpu = 0; cpu < 8 * size; cpu++)
        count += CPU_ISSET(cpu, set);
    return count;
}

SHARED_STATE char *optarg;
SHARED_STATE int optind = 1, opterr = 1, optopt = '?';
static SHARED_STATE int option_at = 1; /* the place in a group of options, such as -abc */

static int complain_about_option(const char *program, const char *what, int result) {
    if (opterr)
        fprintf(stderr, "%s: %s -- '%c'\n", program, what, optopt);
    return result;
}

/* Operands end the options, as in POSIX; glibc would reorder the arguments. */
int getopt(int argc, char *const argv[], const char *letters) {
    const char *group, *entry;
    _Bool quiet = letters[0] == ':' || (letters[0] == '+' && letters[1] == ':');
    if (optind >= argc || !argv[optind] || argv[optind][0] != '-' || !argv[optind][1])
        return -1;
    group = argv[optind];
    if (group[1] == '-' && !group[2]) {
        optind++;
        return -1;
    }
    optopt = group[option_at++];
    entry = optopt == ':' ? NULL : strchr(letters, optopt);
    if (!group[option_at]) {
        optind++;
        option_at = 1;
    }
    if (!entry)
        return quiet ? '?' : complain_about_option(argv[0], "invalid option", '?');
    if (entry[1] != ':')
        return optopt;
    optarg = NULL;
    if (option_at > 1) {
        optarg = (char *)group + option_at;
        optind++;
        option_at = 1;
    } else if (entry[2] != ':') {
        if (optind >= argc)
            return quiet ? ':'
                         : complain_about_option(argv[0], "option requires an argument", '?');
        optarg = argv[optind++];
    }
    return optopt;
}
