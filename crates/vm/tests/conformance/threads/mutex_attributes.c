#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutexattr_t attr;
    int value;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_gettype(&attr, &value);
    printf("%d\n", value == PTHREAD_MUTEX_DEFAULT);
    printf("%d\n", pthread_mutexattr_settype(&attr, 99) == EINVAL);
    printf("%d ", pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE));
    pthread_mutexattr_gettype(&attr, &value);
    printf("%d\n", value == PTHREAD_MUTEX_RECURSIVE);
    pthread_mutexattr_getpshared(&attr, &value);
    printf("%d\n", value == PTHREAD_PROCESS_PRIVATE);
    printf("%d\n", pthread_mutexattr_setpshared(&attr, 9) == EINVAL);
    printf("%d ", pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT));
    pthread_mutexattr_getprotocol(&attr, &value);
    printf("%d\n", value == PTHREAD_PRIO_INHERIT);
    printf("%d\n", pthread_mutexattr_setprotocol(&attr, 9) == EINVAL);
    pthread_mutexattr_getrobust(&attr, &value);
    printf("%d\n", value == PTHREAD_MUTEX_STALLED);
    printf("%d\n", pthread_mutexattr_destroy(&attr));
    return 0;
}
