/* Loops that are left, and loops that are not: one program for each value of PROGRAM. */

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifndef N
#define N 40
#endif

#define BOUNDED 0
#define THREE_READS 1
#define HIDDEN_STATE 2
#define HELPER 3
#define TRY_LOCK 4
#define SHARED_COUNTER 5
#define LOCAL_COUNTER 6
#define YIELDS 7
#define SLEEPS 8
#define TIMED_WAIT 9
#define SPIN_LOCK 10
#define PUT_BACK 11
#define BOTH_WAIT 12
#define LONG_BEFORE_FLAG 13
#define ON_STACK 14

static atomic_int a, b, c, flag, tries;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int shared;

static int look(atomic_int *word, int n_tries)
{
    while (!*word && (n_tries < 0 || --n_tries))
        ;
    return *word;
}

static void *one(void *argument)
{
    (void)argument;
#if PROGRAM == BOUNDED
    for (int i = 0; i < N; i++)
        (void)a;
    assert(flag == 1);
#elif PROGRAM == THREE_READS
    int x, y, z;
    do {
        x = a;
        y = b;
        z = c;
    } while (!x && !y && !z);
    assert(x || y || !z);
#elif PROGRAM == HIDDEN_STATE
    while (rand() % 23)
        (void)a;
    assert(flag == 1);
#elif PROGRAM == HELPER
    while (!look(&flag, -1))
        ;
    assert(look(&a, N));
#elif PROGRAM == TRY_LOCK
    int got = 0;
    for (int i = 0; i < N && !got; i++)
        got = pthread_mutex_trylock(&m) == 0;
    assert(got);
    pthread_mutex_unlock(&m);
#elif PROGRAM == SHARED_COUNTER
    while (!flag)
        tries++;
#elif PROGRAM == LOCAL_COUNTER
    int i = 0;
    while (!flag)
        i++;
    a = i > 3;
#elif PROGRAM == YIELDS
    while (!flag)
        sched_yield();
#elif PROGRAM == SLEEPS
    while (!flag)
        usleep(100);
#elif PROGRAM == TIMED_WAIT
    struct timespec soon = {1, 0};
    pthread_mutex_lock(&m);
    while (!shared)
        pthread_cond_timedwait(&condition, &m, &soon);
    pthread_mutex_unlock(&m);
#elif PROGRAM == SPIN_LOCK
    int expected = 0;
    while (!atomic_compare_exchange_weak(&a, &expected, 1))
        expected = 0;
    shared++;
    a = 0;
#elif PROGRAM == PUT_BACK
    for (;;) {
        pthread_mutex_lock(&m);
        if (pthread_mutex_trylock(&n) == 0)
            break;
        pthread_mutex_unlock(&m);
    }
    shared++;
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
#elif PROGRAM == BOTH_WAIT
    while (!a)
        ;
    b = 1;
#elif PROGRAM == LONG_BEFORE_FLAG
    while (!flag)
        ;
#elif PROGRAM == ON_STACK
    while (!*(atomic_int *)argument)
        ;
#endif
    return NULL;
}

static void *other(void *argument)
{
    (void)argument;
#if PROGRAM == THREE_READS
    a = 1;
    b = 1;
    c = 1;
#elif PROGRAM == HELPER
    flag = 1;
    a = 1;
#elif PROGRAM == TRY_LOCK
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_mutex_unlock(&m);
#elif PROGRAM == TIMED_WAIT
    pthread_mutex_lock(&m);
    shared = 1;
    pthread_mutex_unlock(&m);
#elif PROGRAM == SPIN_LOCK
    one(argument);
#elif PROGRAM == PUT_BACK
    pthread_mutex_lock(&n);
    shared++;
    pthread_mutex_unlock(&n);
#elif PROGRAM == BOTH_WAIT
    while (!b)
        ;
    a = 1;
#elif PROGRAM == LONG_BEFORE_FLAG
    for (int i = 0; i < 2000; i++)
        (void)a;
    flag = 1;
#else
    flag = 1;
#endif
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    atomic_int here = 0;

    pthread_create(&first, NULL, one, &here);
    pthread_create(&second, NULL, other, NULL);
#if PROGRAM == ON_STACK
    here = 1;
#endif
    pthread_join(first, NULL);
    pthread_join(second, NULL);
#if PROGRAM == SPIN_LOCK || PROGRAM == PUT_BACK
    assert(shared == 2);
#endif
    return 0;
}
