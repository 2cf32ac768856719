// expect: exited 0
// output: 1 1 1
// The function runs once, and whoever passes sees what it did; also what was done before main.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <threads.h>

static pthread_once_t once = PTHREAD_ONCE_INIT, early = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static int n, n_early, n_flag;

static void count(void) {
    n++;
    sched_yield();
}
static void count_early(void) { n_early++; }
static void count_flag(void) { n_flag++; }

__attribute__((constructor)) static void before_main(void) { pthread_once(&early, count_early); }

static void *thread(void *unused) {
    assert(pthread_once(&once, count) == 0);
    assert(n == 1);
    pthread_once(&early, count_early);
    call_once(&flag, count_flag);
    assert(n_flag == 1);
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d\n", n, n_early, n_flag);
    return 0;
}
