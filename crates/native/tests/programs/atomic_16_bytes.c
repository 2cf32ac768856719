// expect: exited 0
// output: 6000
// flags: -std=c11 -mcx16
// Atomic operations on 16 bytes, each of them once alone and some by several threads at once.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

typedef unsigned __int128 wide;
static wide cell;

#define HIGH ((wide)1 << 64)
enum { N_THREADS = 3, N_ROUNDS = 1000 };

static void alone(void) {
    wide old;
    __atomic_store_n(&cell, 5 * HIGH + 3, __ATOMIC_SEQ_CST);
    assert(__atomic_load_n(&cell, __ATOMIC_ACQUIRE) == 5 * HIGH + 3);
    assert(__atomic_exchange_n(&cell, 7 * HIGH, __ATOMIC_ACQ_REL) == 5 * HIGH + 3);
    assert(__atomic_fetch_add(&cell, HIGH - 1, __ATOMIC_RELAXED) == 7 * HIGH);
    assert(__atomic_fetch_sub(&cell, HIGH, __ATOMIC_RELAXED) == 8 * HIGH - 1);
    assert(__atomic_fetch_and(&cell, 3 * HIGH + 15, __ATOMIC_RELAXED) == 7 * HIGH - 1);
    assert(__atomic_fetch_or(&cell, HIGH + 16, __ATOMIC_RELAXED) == 2 * HIGH + 15);
    assert(__atomic_fetch_xor(&cell, HIGH + 1, __ATOMIC_RELAXED) == 3 * HIGH + 31);
    assert(__atomic_fetch_nand(&cell, 2 * HIGH + 6, __ATOMIC_RELAXED) == 2 * HIGH + 30);
    assert(__atomic_load_n(&cell, __ATOMIC_RELAXED) == ~(2 * HIGH + 6));
    old = 1;
    assert(!__atomic_compare_exchange_n(&cell, &old, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    assert(old == ~(2 * HIGH + 6));
    assert(__atomic_compare_exchange_n(&cell, &old, 9 * HIGH, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    assert(__sync_val_compare_and_swap(&cell, 9 * HIGH, 0) == 9 * HIGH);
    assert(__sync_val_compare_and_swap(&cell, 1, 2) == 0 && __atomic_load_n(&cell, 0) == 0);
}

static void *work(void *argument) {
    for (int i = 0; i < N_ROUNDS; i++) {
        wide old = __atomic_load_n(&cell, __ATOMIC_RELAXED), new;
        do {
            new = old + HIGH + 1;
        } while (!__atomic_compare_exchange_n(&cell, &old, new, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    }
    return argument;
}

int main(void) {
    pthread_t threads[N_THREADS];
    alone();
    for (int i = 0; i < N_THREADS; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < N_THREADS; i++) pthread_join(threads[i], 0);
    wide sum = __atomic_load_n(&cell, __ATOMIC_SEQ_CST);
    printf("%llu\n", (unsigned long long)((sum >> 64) + (sum & ~0ull)));
    return 0;
}
