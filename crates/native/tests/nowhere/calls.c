// Calls number `argv[1]` with an object of kind `argv[2]`: none, one that is not there, one that cannot be written.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>

static struct timespec soon = {1, 0};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static const _Alignas(64) char constant[4096];
static _Alignas(64) char zero[4096];
static char *object;
static int number;

static void act(void) {}
static void *begin(void *unused) { return unused; }

static void call(void *o)
{
    int value;
    switch (number) {
    case 0: pthread_mutex_lock(o); break;
    case 1: pthread_mutex_trylock(o); break;
    case 2: pthread_mutex_timedlock(o, &soon); break;
    case 3: pthread_mutex_clocklock(o, CLOCK_MONOTONIC, &soon); break;
    case 4: pthread_mutex_unlock(o); break;
    case 5: pthread_mutex_init(o, 0); break;
    case 6: pthread_mutex_destroy(o); break;
    case 7: pthread_spin_lock(o); break;
    case 8: pthread_spin_trylock(o); break;
    case 9: pthread_spin_unlock(o); break;
    case 10: pthread_spin_init(o, 0); break;
    case 11: pthread_spin_destroy(o); break;
    case 12: pthread_rwlock_rdlock(o); break;
    case 13: pthread_rwlock_wrlock(o); break;
    case 14: pthread_rwlock_tryrdlock(o); break;
    case 15: pthread_rwlock_trywrlock(o); break;
    case 16: pthread_rwlock_timedrdlock(o, &soon); break;
    case 17: pthread_rwlock_timedwrlock(o, &soon); break;
    case 18: pthread_rwlock_clockrdlock(o, CLOCK_MONOTONIC, &soon); break;
    case 19: pthread_rwlock_clockwrlock(o, CLOCK_MONOTONIC, &soon); break;
    case 20: pthread_rwlock_unlock(o); break;
    case 21: pthread_rwlock_init(o, 0); break;
    case 22: pthread_rwlock_destroy(o); break;
    case 23: pthread_mutex_lock(&mutex), pthread_cond_timedwait(o, &mutex, &soon); break;
    case 24: pthread_cond_signal(o); break;
    case 25: pthread_cond_broadcast(o); break;
    case 26: pthread_cond_init(o, 0); break;
    case 27: pthread_cond_destroy(o); break;
    case 28: sem_trywait(o); break;
    case 29: sem_timedwait(o, &soon); break;
    case 30: sem_clockwait(o, CLOCK_MONOTONIC, &soon); break;
    case 31: sem_post(o); break;
    case 32: sem_getvalue(o, &value); break;
    case 33: sem_getvalue(&semaphore, o); break;
    case 34: sem_init(o, 0, 1); break;
    case 35: sem_destroy(o); break;
    case 36: pthread_barrier_init(o, 0, 2); break;
    case 37: pthread_once(o, act); break;
    case 38: call_once(o, act); break;
    case 39: mtx_lock(o); break;
    case 40: mtx_trylock(o); break;
    case 41: mtx_timedlock(o, &soon); break;
    case 42: mtx_unlock(o); break;
    case 43: mtx_init(o, mtx_plain); break;
    case 44: mtx_destroy(o); break;
    case 45: cnd_signal(o); break;
    case 46: cnd_broadcast(o); break;
    case 47: cnd_init(o); break;
    case 48: cnd_destroy(o); break;
    case 49: pthread_create(o, 0, begin, 0); break;
    case 50: pthread_key_create(o, 0); break;
    case 51: pthread_mutex_timedlock(&mutex, o); break;
    case 52: sem_timedwait(&semaphore, o); break;
    case 53: nanosleep(o, 0); break;
    case 54: clock_gettime(CLOCK_MONOTONIC, o); break;
    case 55: __atomic_fetch_add((int *)o, 1, __ATOMIC_SEQ_CST); break;
    case 56: clock_nanosleep(CLOCK_MONOTONIC, 0, o, 0); break;
    case 57: pthread_cond_signal(&condition), pthread_mutex_lock(o); break;
    case 58: pthread_setname_np(pthread_self(), o); break;
    case 59: pthread_barrier_wait(o); break;
    }
}

static void *other(void *unused)
{
    pthread_cond_signal(&condition);
    return unused;
}

int main(int n, char **arguments)
{
    pthread_t thread;
    number = atoi(arguments[1]);
    sem_init(&semaphore, 0, 1);
    char *gone = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(gone, 4096);
    char *objects[] = {0, gone, (char *)constant, zero};
    object = objects[atoi(arguments[2])];
    if (pthread_create(&thread, 0, other, 0)) return 1;
    call(object);
    return 0;
}
