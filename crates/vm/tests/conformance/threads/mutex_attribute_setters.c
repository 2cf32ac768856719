#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#define ALL(name, low, high)                                         \
    for (int wanted = low; wanted <= high; wanted++) {               \
        int value = -1;                                              \
        int error = pthread_mutexattr_set##name(&attr, wanted);      \
        pthread_mutexattr_get##name(&attr, &value);                  \
        printf(#name " %d: %d %d\n", wanted, error, value);          \
    }

int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    ALL(type, -1, 4)
    ALL(pshared, -1, 2)
    ALL(protocol, -1, 3)
    ALL(robust, -1, 2)
    ALL(type, 1, 1)
    ALL(pshared, 1, 1)
    printf("%d\n", pthread_mutexattr_setprioceiling(&attr, 1000) == EINVAL);
    printf("%d\n", pthread_mutexattr_destroy(&attr));
    return 0;
}
