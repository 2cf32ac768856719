// expect: exited 0
// output: 60
// A lock made of a futex, timeouts, bits and moving waiters to another word.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int lock, gate, other, n_through;
static int count;

static long futex(atomic_int *word, int op, int value, void *time, atomic_int *second, int third) {
    return syscall(SYS_futex, word, op, value, time, second, third);
}

static void take(void) {
    int found = 0;
    if (atomic_compare_exchange_strong(&lock, &found, 1))
        return;
    while (atomic_exchange(&lock, 2) != 0)
        futex(&lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void give(void) {
    if (atomic_exchange(&lock, 0) == 2)
        futex(&lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *counter(void *unused) {
    for (int i = 0; i < 20; i++) {
        take();
        count++;
        give();
    }
    return NULL;
}

static void *waiter(void *argument) {
    atomic_int *word = &gate;
    int bits = (int)(long)argument;
    atomic_fetch_add(&n_through, 1);
    assert(futex(word, FUTEX_WAIT_BITSET, 0, NULL, NULL, bits) == 0);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, counter, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", count);

    struct timespec length = {1, 0}, until;
    assert(futex(&gate, FUTEX_WAIT, 1, NULL, NULL, 0) == -1 && errno == EAGAIN);
    assert(futex(&gate, FUTEX_WAIT, 0, &length, NULL, 0) == -1 && errno == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 1;
    assert(futex(&gate, FUTEX_WAIT_BITSET, 0, &until, NULL, 1) == -1 && errno == ETIMEDOUT);
    assert(futex(&gate, FUTEX_WAKE, 1, NULL, NULL, 0) == 0);

    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, waiter, (void *)(1L << i));
    while (futex(&gate, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, 2) == 0)
        sched_yield();
    pthread_join(threads[1], NULL);
    int n_moved = 0;
    while (n_moved < 2) {
        long moved = futex(&gate, FUTEX_CMP_REQUEUE, 0, (void *)2, &other, 0);
        assert(moved >= 0);
        n_moved += (int)moved;
        sched_yield();
    }
    assert(futex(&gate, FUTEX_CMP_REQUEUE, 0, (void *)1, &other, 7) == -1 && errno == EAGAIN);
    assert(futex(&gate, FUTEX_WAKE, INT_MAX, NULL, NULL, 0) == 0);
    assert(futex(&other, FUTEX_WAKE, 1, NULL, NULL, 0) == 1);
    assert(futex(&other, FUTEX_WAKE, INT_MAX, NULL, NULL, 0) == 1);
    pthread_join(threads[0], NULL);
    pthread_join(threads[2], NULL);
    assert(syscall(SYS_gettid) == gettid() && syscall(SYS_close, -1) == -1 && errno == EBADF);
    return 0;
}
