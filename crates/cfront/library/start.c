/* The start and the end of programs and threads. */
#include "internal.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_EXIT_FUNCTIONS 64

struct exit_function {
    void (*plain)(void);
    void (*with_status)(int, void *);
    void *argument;
};

static struct exit_function at_exit[MAX_EXIT_FUNCTIONS];
static int n_at_exit;
static void (*at_quick[MAX_EXIT_FUNCTIONS])(void);
static int n_at_quick;
_Bool __raddle_lib_has_exit_functions;

int main();

/* Made by the compiler: runs constructors, and registers destructors with atexit. */
void __raddle_lib_constructors(void);

void __raddle_lib_start(int argc, char **argv) {
    __raddle_lib_constructors();
    exit(main(argc, argv));
}

void __raddle_lib_thread(void *(*function)(void *), void *argument) {
    __raddle_lib_end_thread(function(argument));
}

static int add_exit_function(struct exit_function function) {
    int added;
    __raddle_atomic_begin();
    added = n_at_exit < MAX_EXIT_FUNCTIONS;
    if (added) {
        at_exit[n_at_exit++] = function;
        __raddle_lib_has_exit_functions = 1;
    }
    __raddle_atomic_end();
    return added ? 0 : -1;
}

int atexit(void (*function)(void)) {
    struct exit_function entry = {function, 0, 0};
    return add_exit_function(entry);
}

int on_exit(void (*function)(int, void *), void *argument) {
    struct exit_function entry = {0, function, argument};
    return add_exit_function(entry);
}

/* What glibc's atexit calls when it is linked statically into a shared object. */
int __cxa_atexit(void (*function)(void *), void *argument, void *object) {
    (void)object;
    (void)function;
    (void)argument;
    __raddle_unsupported("__cxa_atexit");
}

int at_quick_exit(void (*function)(void)) {
    int added;
    __raddle_atomic_begin();
    added = n_at_quick < MAX_EXIT_FUNCTIONS;
    if (added)
        at_quick[n_at_quick++] = function;
    __raddle_atomic_end();
    return added ? 0 : -1;
}

/* Takes the newest entry; entries may be added while others run. */
static _Bool take_exit_function(struct exit_function *taken) {
    _Bool any;
    __raddle_atomic_begin();
    any = n_at_exit > 0;
    if (any)
        *taken = at_exit[--n_at_exit];
    __raddle_atomic_end();
    return any;
}

void exit(int status) {
    struct exit_function function;
    while (take_exit_function(&function)) {
        if (function.plain)
            function.plain();
        else
            function.with_status(status, function.argument);
    }
    __raddle_exit(status & 0xff);
}

void quick_exit(int status) {
    while (n_at_quick > 0)
        at_quick[--n_at_quick]();
    __raddle_exit(status & 0xff);
}

void _Exit(int status) {
    __raddle_exit(status & 0xff);
}

void _exit(int status) {
    __raddle_exit(status & 0xff);
}

void abort(void) {
    __raddle_abort();
}

void __assert_fail(const char *expression, const char *file, unsigned line,
                   const char *function) {
    __raddle_assert_fail(expression, file, line, function);
}

void __assert(const char *expression, const char *file, int line) {
    __raddle_assert_fail(expression, file, line, "");
}

void __assert_perror_fail(int error, const char *file, unsigned line, const char *function) {
    char *strerror(int);
    __raddle_assert_fail(strerror(error), file, line, function);
}

static _Thread_local int error_number;

int *__errno_location(void) {
    return &error_number;
}
