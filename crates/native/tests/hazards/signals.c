// finds: nothing
// Signals between threads are handled, and how they are handled is as before in every run.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int n;

static void handle(int signal) { n += signal == SIGUSR1; }

static void *wait_for(void *unused)
{
    while (!n) {
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle}, before;
    sigset_t mask;
    assert(sigaction(SIGUSR1, &action, &before) == 0);
    assert(before.sa_handler == SIG_DFL);
    pthread_sigmask(SIG_SETMASK, 0, &mask);
    assert(!sigismember(&mask, SIGUSR2));
    pthread_create(&thread, 0, wait_for, 0);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, 0);
    assert(n == 1);
    sigaddset(&mask, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &mask, 0);
    return 0;
}
