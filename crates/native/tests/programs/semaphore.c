// expect: exited 0
// output: 60
// A bounded buffer between semaphores, and every way of not waiting for one.
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

enum { SIZE = 2, ITEMS = 10 };
static sem_t room, items, one, early;
static int buffer[SIZE], head, tail, sum;

__attribute__((constructor)) static void before_main(void) {
    sem_init(&early, 0, 3);
    sem_wait(&early);
}

static void *producer(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&room);
        sem_wait(&one);
        buffer[head++ % SIZE] = 3;
        sem_post(&one);
        sem_post(&items);
    }
    return NULL;
}

static void *consumer(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&items);
        sem_wait(&one);
        sum += buffer[tail++ % SIZE];
        sem_post(&one);
        sem_post(&room);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    int value;
    assert(sem_getvalue(&early, &value) == 0 && value == 2);
    assert(sem_trywait(&early) == 0 && sem_trywait(&early) == 0);
    assert(sem_trywait(&early) == -1 && errno == EAGAIN);

    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    assert(sem_timedwait(&early, &until) == -1 && errno == ETIMEDOUT);
    sem_post(&early);
    assert(sem_timedwait(&early, &until) == 0);
    until.tv_nsec = -1;
    assert(sem_timedwait(&early, &until) == -1 && errno == EINVAL);
    assert(sem_destroy(&early) == 0);
    sem_init(&early, 0, SEM_VALUE_MAX);
    assert(sem_post(&early) == -1 && errno == EOVERFLOW);

    sem_init(&room, 0, SIZE);
    sem_init(&items, 0, 0);
    sem_init(&one, 0, 1);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 ? producer : consumer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", sum);
    return 0;
}
