// finds: nothing
// forks: it calls sigaction for a fatal signal
// A handler on a stack of its own recovers from a crash.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

static __thread sigjmp_buf back;

static void handle(int signal) { siglongjmp(back, signal); }

static void *crash(void *nowhere)
{
    if (sigsetjmp(back, 1) == 0) {
        *(volatile int *)nowhere = 1;
        assert(0);
    }
    return nowhere;
}

int main(void)
{
    static char stack[64 << 10];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    pthread_t thread;
    assert(sigaltstack(&other, 0) == 0);
    assert(sigaction(SIGSEGV, &action, 0) == 0);
    pthread_create(&thread, 0, crash, (void *)64);
    crash((void *)128);
    pthread_join(thread, 0);
    return 0;
}
