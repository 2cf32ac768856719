// finds: nothing
// forks: it calls fork
// A run makes a process and waits for it.
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *unused) { return unused; }

int main(void)
{
    pthread_t thread;
    int status;
    pthread_create(&thread, 0, work, 0);
    pid_t child = fork();
    if (child == 0)
        _exit(4);
    assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 4);
    pthread_join(thread, 0);
    return 0;
}
