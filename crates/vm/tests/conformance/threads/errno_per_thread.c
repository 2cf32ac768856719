#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static void *run(void *argument) {
    int before = errno;
    errno = 33;
    *(int *)argument = before;
    return NULL;
}

int main(void) {
    pthread_t thread;
    int seen = -1;
    errno = 11;
    pthread_create(&thread, NULL, run, &seen);
    pthread_join(thread, NULL);
    printf("%d %d\n", seen, errno);
    return 0;
}
