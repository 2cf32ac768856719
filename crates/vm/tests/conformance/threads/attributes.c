#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attr;
    size_t size;
    int value;
    pthread_attr_init(&attr);
    printf("%d\n", pthread_attr_setdetachstate(&attr, 77) == EINVAL);
    printf("%d ", pthread_attr_setstacksize(&attr, 1 << 20));
    pthread_attr_getstacksize(&attr, &size);
    printf("%zu\n", size);
    printf("%d\n", pthread_attr_setstacksize(&attr, 1) == EINVAL);
    printf("%d ", pthread_attr_setguardsize(&attr, 8192));
    pthread_attr_getguardsize(&attr, &size);
    printf("%zu\n", size);
    printf("%d ", pthread_attr_setschedpolicy(&attr, SCHED_OTHER));
    pthread_attr_getschedpolicy(&attr, &value);
    printf("%d\n", value == SCHED_OTHER);
    printf("%d ", pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
    pthread_attr_getinheritsched(&attr, &value);
    printf("%d\n", value == PTHREAD_EXPLICIT_SCHED);
    printf("%d\n", pthread_attr_setscope(&attr, PTHREAD_SCOPE_PROCESS) == ENOTSUP);
    printf("%d\n", pthread_attr_destroy(&attr));
    return 0;
}
