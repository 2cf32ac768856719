// finds: crash
// runs: 20
// A thread that runs out of its stack: who tells of it needs another one.
#include <pthread.h>

static int deep(volatile int n) {
    volatile char room[4096];
    room[0] = (char)n;
    return deep(n + 1) + room[0];
}

static void *dive(void *arg) {
    (void)arg;
    return (void *)(long)deep(0);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, dive, 0);
    pthread_join(thread, 0);
}
