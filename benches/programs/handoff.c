// Two threads that hand a token to each other: every operation is followed by a switch.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t ours, theirs;
static long n_rounds, n_seen;

static void *answer(void *unused) {
    (void)unused;
    for (long i = 0; i < n_rounds; i++) {
        sem_wait(&theirs);
        n_seen++;
        sem_post(&ours);
    }
    return NULL;
}

int main(int argc, char **argv) {
    n_rounds = argc > 1 ? atol(argv[1]) : 1;
    sem_init(&ours, 0, 0);
    sem_init(&theirs, 0, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, answer, NULL);
    for (long i = 0; i < n_rounds; i++) {
        sem_post(&theirs);
        sem_wait(&ours);
    }
    pthread_join(thread, NULL);
    printf("%ld\n", n_seen);
    return n_seen != n_rounds;
}
