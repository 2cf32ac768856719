// expect: unsupported
// Futexes that inherit priorities are not modelled.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

int main(void) {
    syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, 0, 0, 0);
    return 0;
}
