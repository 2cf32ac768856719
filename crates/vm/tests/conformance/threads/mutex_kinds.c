#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex;
static const struct timespec past, invalid = {0, 1000000000}, negative = {0, -1};

static const char *name(int error) {
    switch (error) {
    case 0: return "0";
    case EBUSY: return "EBUSY";
    case EDEADLK: return "EDEADLK";
    case EPERM: return "EPERM";
    case EINVAL: return "EINVAL";
    case ETIMEDOUT: return "ETIMEDOUT";
    default: return "?";
    }
}

static void *other(void *type) {
    printf("other: try %s", name(pthread_mutex_trylock(&mutex)));
    printf(" timed %s", name(pthread_mutex_timedlock(&mutex, &past)));
    printf(" invalid %s", name(pthread_mutex_timedlock(&mutex, &invalid)));
    printf(" negative %s", name(pthread_mutex_timedlock(&mutex, &negative)));
    printf(" clock %s", name(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past)));
    if (type)
        printf(" unlock %s", name(pthread_mutex_unlock(&mutex)));
    putchar('\n');
    return NULL;
}

static void kind(int type) {
    int checks = type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK;
    pthread_mutexattr_t attr;
    pthread_t thread;
    pthread_mutexattr_init(&attr);
    printf("kind %d: %s", type, name(pthread_mutexattr_settype(&attr, type)));
    printf(" init %s", name(pthread_mutex_init(&mutex, &attr)));
    printf(" lock %s", name(pthread_mutex_lock(&mutex)));
    printf(" try %s", name(pthread_mutex_trylock(&mutex)));
    if (checks)
        printf(" lock %s", name(pthread_mutex_lock(&mutex)));
    printf(" timed %s\n", name(pthread_mutex_timedlock(&mutex, &past)));
    pthread_create(&thread, NULL, other, checks ? &mutex : NULL);
    pthread_join(thread, NULL);
    if (type == PTHREAD_MUTEX_RECURSIVE)
        for (int i = 0; i < 3; i++)
            printf("unlock %s ", name(pthread_mutex_unlock(&mutex)));
    printf("unlock %s", name(pthread_mutex_unlock(&mutex)));
    if (checks)
        printf(" again %s", name(pthread_mutex_unlock(&mutex)));
    printf(" timed %s", name(pthread_mutex_timedlock(&mutex, &invalid)));
    printf(" unlock %s", name(pthread_mutex_unlock(&mutex)));
    printf(" destroy %s\n", name(pthread_mutex_destroy(&mutex)));
}

int main(void) {
    kind(PTHREAD_MUTEX_NORMAL);
    kind(PTHREAD_MUTEX_RECURSIVE);
    kind(PTHREAD_MUTEX_ERRORCHECK);
    kind(PTHREAD_MUTEX_ADAPTIVE_NP);
    return 0;
}
