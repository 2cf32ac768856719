// expect: deadlock
// Nobody wakes the one that waits.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

int main(void) {
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0);
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0, 0, 0);
    return 0;
}
