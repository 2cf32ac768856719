// finds: nothing
// forks: it calls chdir
// A run changes where the process is.
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static void *go(void *unused)
{
    assert(chdir("/") == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char before[4096];
    assert(getcwd(before, sizeof before) && strcmp(before, "/") != 0);
    pthread_create(&thread, 0, go, 0);
    pthread_join(thread, 0);
    return 0;
}
