#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int counter;
static atomic_long squares;
static _Atomic unsigned plain;

static void *run(void *argument) {
    for (int i = 0; i < 30; i++) {
        atomic_fetch_add(&counter, 1);
        plain++;
        long old = atomic_load(&squares);
        while (!atomic_compare_exchange_weak(&squares, &old, old + i)) {
        }
    }
    return argument;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d %ld %u\n", counter, squares, plain);
    return 0;
}
