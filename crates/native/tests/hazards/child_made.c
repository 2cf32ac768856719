// finds: nothing
// forks: it calls fork
// A child ends when it ends: that is the time of the system, and not of the schedule.
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n_ended;

static void *make(void *code) {
    pid_t child = fork();
    if (child == 0)
        _exit(*(int *)code);
    int status;
    assert(waitpid(child, &status, 0) == child);
    assert(WEXITSTATUS(status) == *(int *)code);
    pthread_mutex_lock(&lock);
    n_ended++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    int codes[2] = {3, 4};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, make, &codes[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(n_ended == 2);
}
