// expect: exited 0
// A semaphore of the system is one like any other.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t *semaphore;
static int done;

static void *thread(void *unused) {
    done = 1;
    sem_post(semaphore);
    return NULL;
}

int main(void) {
    char name[64];
    snprintf(name, sizeof name, "/raddle-test-%d", (int)getpid());
    semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    assert(semaphore != SEM_FAILED);
    sem_unlink(name);
    pthread_t other;
    sem_wait(semaphore);
    pthread_create(&other, NULL, thread, NULL);
    sem_wait(semaphore);
    assert(done);
    pthread_join(other, NULL);
    assert(sem_close(semaphore) == 0);
    return 0;
}
