#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    int errors[] = {0, EPERM, ENOENT, EAGAIN, ENOMEM, EBUSY, EINVAL, EDEADLK, ETIMEDOUT, ERANGE};
    for (unsigned i = 0; i < sizeof errors / sizeof errors[0]; i++)
        printf("%d %s\n", errors[i], strerror(errors[i]));
    printf("%s\n", strerror(9999));
    errno = ENOENT;
    printf("%d %m\n", errno);
    return 0;
}
