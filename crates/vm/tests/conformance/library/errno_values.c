#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    errno = 0;
    printf("%d\n", errno);
    strtol("99999999999999999999", NULL, 10);
    printf("%d\n", errno == ERANGE);
    errno = 5;
    int *where = &errno;
    *where += 1;
    printf("%d\n", errno);
    printf("%d %d %d %d %d\n", EPERM, ENOMEM, EINVAL, EDEADLK, EOVERFLOW);
    printf("%d %d %d\n", EWOULDBLOCK == EAGAIN, ENOTSUP == EOPNOTSUPP, ETIMEDOUT);
    return 0;
}
