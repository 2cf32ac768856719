/* Functions that end the run by name: there are no files, processes and signals here. */
#include "internal.h"
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define REFUSE(result, name, parameters) \
    result name parameters { __raddle_unsupported(#name); }

REFUSE(FILE *, fopen, (const char *restrict path, const char *restrict mode))
REFUSE(FILE *, fdopen, (int fd, const char *mode))
REFUSE(FILE *, freopen, (const char *restrict path, const char *restrict mode, FILE *restrict f))
REFUSE(FILE *, tmpfile, (void))
REFUSE(FILE *, popen, (const char *command, const char *mode))
REFUSE(int, pclose, (FILE * stream))
REFUSE(int, fseek, (FILE * stream, long offset, int whence))
REFUSE(long, ftell, (FILE * stream))
REFUSE(void, rewind, (FILE * stream))
REFUSE(int, remove, (const char *path))
REFUSE(int, rename, (const char *from, const char *to))
REFUSE(int, mkstemp, (char *path))
REFUSE(char *, realpath, (const char *restrict path, char *restrict to))
REFUSE(int, setenv, (const char *name, const char *value, int overwrite))
REFUSE(int, unsetenv, (const char *name))
REFUSE(int, putenv, (char *entry))
REFUSE(int, system, (const char *command))

REFUSE(int, open, (const char *path, int flags, ...))
REFUSE(int, creat, (const char *path, mode_t mode))
REFUSE(int, fcntl, (int fd, int command, ...))
REFUSE(off_t, lseek, (int fd, off_t offset, int whence))
REFUSE(int, access, (const char *path, int mode))
REFUSE(int, unlink, (const char *path))
REFUSE(int, dup, (int fd))
REFUSE(int, dup2, (int fd, int other))
REFUSE(int, pipe, (int fds[2]))
REFUSE(int, stat, (const char *restrict path, struct stat *restrict to))
REFUSE(int, fstat, (int fd, struct stat *to))
REFUSE(int, mkdir, (const char *path, mode_t mode))
REFUSE(int, chmod, (const char *path, mode_t mode))
REFUSE(char *, getcwd, (char *to, size_t room))
REFUSE(void *, mmap, (void *at, size_t size, int protection, int flags, int fd, off_t offset))
REFUSE(int, munmap, (void *at, size_t size))
REFUSE(int, mprotect, (void *at, size_t size, int protection))
REFUSE(void *, sbrk, (intptr_t more))

REFUSE(pid_t, fork, (void))
REFUSE(pid_t, vfork, (void))
REFUSE(int, execv, (const char *path, char *const arguments[]))
REFUSE(int, execvp, (const char *path, char *const arguments[]))
REFUSE(int, execl, (const char *path, const char *argument, ...))
REFUSE(int, execlp, (const char *path, const char *argument, ...))
REFUSE(pid_t, wait, (int *status))
REFUSE(pid_t, waitpid, (pid_t pid, int *status, int options))
REFUSE(unsigned, alarm, (unsigned seconds))
REFUSE(int, setitimer,
       (int which, const struct itimerval *restrict value, struct itimerval *restrict old))
REFUSE(int, settimeofday, (const struct timeval *now, const struct timezone *zone))
REFUSE(int, clock_settime, (clockid_t clock, const struct timespec *now))
REFUSE(int, pause, (void))
REFUSE(int, kill, (pid_t pid, int signal))
REFUSE(int, sigwait, (const sigset_t *restrict set, int *restrict signal))
REFUSE(int, sigsuspend, (const sigset_t *set))
REFUSE(int, pthread_atfork, (void (*before)(void), void (*parent)(void), void (*child)(void)))

REFUSE(sem_t *, sem_open, (const char *name, int flags, ...))
REFUSE(int, sem_close, (sem_t * sem))
REFUSE(int, sem_unlink, (const char *name))

REFUSE(int, getopt_long,
       (int argc, char *const argv[], const char *letters, const struct option *options,
        int *index))
REFUSE(double, fma, (double x, double y, double z))
REFUSE(float, fmaf, (float x, float y, float z))

/* setjmp without longjmp is complete: the first return is the only one. */
int _setjmp(struct __jmp_buf_tag *buffer) {
    return 0;
}

int __sigsetjmp(struct __jmp_buf_tag *buffer, int save_mask) {
    return 0;
}

#undef setjmp
int setjmp(struct __jmp_buf_tag *buffer) {
    return 0;
}

REFUSE(void, longjmp, (struct __jmp_buf_tag * buffer, int value))
REFUSE(void, _longjmp, (struct __jmp_buf_tag * buffer, int value))
REFUSE(void, siglongjmp, (struct __jmp_buf_tag * buffer, int value))
