/* Signals: handlers and masks are kept, but nothing is ever delivered. Sending one is refused,
   except those that end the program. */
#include "internal.h"
#include <signal.h>
#include <string.h>

static struct sigaction actions[NSIG];
static _Thread_local sigset_t mask;

static _Bool is_signal(int number) {
    return number > 0 && number < NSIG;
}

int sigaction(int number, const struct sigaction *restrict new, struct sigaction *restrict old) {
    if (!is_signal(number) || number == SIGKILL || number == SIGSTOP) {
        errno = EINVAL;
        return -1;
    }
    __raddle_atomic_begin();
    if (old)
        *old = actions[number];
    if (new)
        actions[number] = *new;
    __raddle_atomic_end();
    return 0;
}

__sighandler_t signal(int number, __sighandler_t handler) {
    struct sigaction new, old;
    __builtin_memset(&new, 0, sizeof new);
    new.sa_handler = handler;
    return sigaction(number, &new, &old) ? SIG_ERR : old.sa_handler;
}

int sigemptyset(sigset_t *set) {
    __builtin_memset(set, 0, sizeof *set);
    return 0;
}

int sigfillset(sigset_t *set) {
    __builtin_memset(set, 0xff, sizeof *set);
    return 0;
}

#define WORD_BITS (8 * (int)sizeof(unsigned long))

static unsigned long *word_of(const sigset_t *set, int number) {
    return (unsigned long *)&set->__val[(number - 1) / WORD_BITS];
}

static unsigned long bit_of(int number) {
    return 1UL << (number - 1) % WORD_BITS;
}

static int set_member(sigset_t *set, int number, _Bool member) {
    if (!is_signal(number)) {
        errno = EINVAL;
        return -1;
    }
    if (member)
        *word_of(set, number) |= bit_of(number);
    else
        *word_of(set, number) &= ~bit_of(number);
    return 0;
}

int sigaddset(sigset_t *set, int number) {
    return set_member(set, number, 1);
}

int sigdelset(sigset_t *set, int number) {
    return set_member(set, number, 0);
}

int sigismember(const sigset_t *set, int number) {
    if (!is_signal(number)) {
        errno = EINVAL;
        return -1;
    }
    return (*word_of(set, number) & bit_of(number)) != 0;
}

int pthread_sigmask(int how, const sigset_t *restrict new, sigset_t *restrict old) {
    sigset_t before = mask;
    if (new) {
        if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
            return EINVAL;
        for (size_t i = 0; i < sizeof mask / sizeof mask.__val[0]; i++) {
            unsigned long bits = new->__val[i];
            mask.__val[i] = how == SIG_BLOCK     ? before.__val[i] | bits
                            : how == SIG_UNBLOCK ? before.__val[i] & ~bits
                                                 : bits;
        }
    }
    if (old)
        *old = before;
    return 0;
}

int sigprocmask(int how, const sigset_t *restrict new, sigset_t *restrict old) {
    int error = pthread_sigmask(how, new, old);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

int raise(int number) {
    if (!is_signal(number)) {
        errno = EINVAL;
        return -1;
    }
    if (actions[number].sa_handler == SIG_IGN)
        return 0;
    if (actions[number].sa_handler != SIG_DFL) { /* raise runs the handler in this thread */
        actions[number].sa_handler(number);
        return 0;
    }
    if (number == SIGABRT || number == SIGSEGV || number == SIGFPE || number == SIGILL ||
        number == SIGBUS)
        __raddle_abort();
    __raddle_unsupported("raise");
}

int pthread_kill(pthread_t thread, int number) {
    if (number == 0)
        return 0;
    if (thread == __raddle_thread_self())
        return raise(number);
    __raddle_unsupported("pthread_kill");
}
