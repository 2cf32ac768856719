#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    sem_t sem;
    int value;
    printf("%d\n", sem_init(&sem, 0, 2));
    sem_getvalue(&sem, &value);
    printf("%d\n", value);
    printf("%d ", sem_wait(&sem));
    printf("%d\n", sem_trywait(&sem));
    printf("%d ", sem_trywait(&sem));
    printf("%d\n", errno == EAGAIN);
    struct timespec at = {0, 0};
    printf("%d ", sem_timedwait(&sem, &at));
    printf("%d\n", errno == ETIMEDOUT);
    at.tv_nsec = 2000000000;
    printf("%d ", sem_timedwait(&sem, &at));
    printf("%d\n", errno == EINVAL);
    printf("%d\n", sem_post(&sem));
    sem_getvalue(&sem, &value);
    printf("%d %zu\n", value, sizeof sem);
    printf("%d\n", sem_destroy(&sem));
    printf("%d ", sem_init(&sem, 0, 0x80000000u));
    printf("%d\n", errno == EINVAL);
    return 0;
}
