#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define INT(name, bad, good)                                        \
    do {                                                            \
        int value = -1;                                             \
        printf(#name " %d", pthread_attr_get##name(&attr, &value)); \
        printf(" %d", value);                                       \
        printf(" %d", pthread_attr_set##name(&attr, bad));          \
        printf(" %d", pthread_attr_set##name(&attr, good));         \
        pthread_attr_get##name(&attr, &value);                      \
        printf(" %d\n", value == (good));                           \
    } while (0)

int main(void) {
    static char stack[1 << 16];
    pthread_attr_t attr;
    struct sched_param param = {7};
    size_t size;
    void *address;
    printf("%d\n", pthread_attr_init(&attr));
    INT(detachstate, 5, PTHREAD_CREATE_DETACHED);
    INT(inheritsched, 5, PTHREAD_EXPLICIT_SCHED);
    INT(scope, 5, PTHREAD_SCOPE_SYSTEM);
    INT(schedpolicy, 77, SCHED_RR);
    printf("%d\n", pthread_attr_setscope(&attr, PTHREAD_SCOPE_PROCESS) == ENOTSUP);
    printf("%d ", pthread_attr_setschedparam(&attr, &param));
    param.sched_priority = 0;
    printf("%d ", pthread_attr_getschedparam(&attr, &param));
    printf("%d\n", param.sched_priority);
    printf("%d ", pthread_attr_setstacksize(&attr, 100) == EINVAL);
    printf("%d ", pthread_attr_setstacksize(&attr, 1 << 18));
    printf("%d ", pthread_attr_getstacksize(&attr, &size));
    printf("%zu\n", size);
    printf("%d ", pthread_attr_getguardsize(&attr, &size));
    printf("%zu ", size);
    printf("%d ", pthread_attr_setguardsize(&attr, 8192));
    pthread_attr_getguardsize(&attr, &size);
    printf("%zu\n", size);
    printf("%d ", pthread_attr_setstack(&attr, stack, 100) == EINVAL);
    printf("%d ", pthread_attr_setstack(&attr, stack, sizeof stack));
    printf("%d ", pthread_attr_getstack(&attr, &address, &size));
    printf("%d %zu\n", address == stack, size);
    printf("%d\n", pthread_attr_destroy(&attr));
    printf("%d %d", pthread_getconcurrency(), pthread_setconcurrency(-1) == EINVAL);
    printf(" %d", pthread_setconcurrency(3));
    printf(" %d\n", pthread_getconcurrency());
    return 0;
}
