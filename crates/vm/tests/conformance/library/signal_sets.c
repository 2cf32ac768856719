#include <signal.h>
#include <stdio.h>
#include <string.h>

static void handler(int number) {
    (void)number;
}

int main(void) {
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM);
    sigdelset(&set, SIGTERM);
    printf("%d %d\n", sigismember(&set, SIGUSR1), sigismember(&set, SIGTERM));
    printf("%d\n", sigprocmask(SIG_BLOCK, &set, NULL));
    printf("%d ", sigprocmask(SIG_SETMASK, NULL, &old));
    printf("%d\n", sigismember(&old, SIGUSR1));
    struct sigaction action, previous;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    printf("%d\n", sigaction(SIGUSR1, &action, NULL));
    printf("%d ", sigaction(SIGUSR1, NULL, &previous));
    printf("%d\n", previous.sa_handler == handler);
    printf("%d\n", signal(SIGUSR2, SIG_IGN) == SIG_DFL);
    printf("%d\n", signal(SIGUSR2, handler) == SIG_IGN);
    return 0;
}
