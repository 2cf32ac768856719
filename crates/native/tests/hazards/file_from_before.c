// finds: nothing
// forks: it calls read on a file that it has not opened
// A file that was opened before `main` is read from where it stood, in every run.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int file;

__attribute__((constructor)) static void start(void) { file = open(__FILE__, O_RDONLY); }

static void *look(void *text)
{
    assert(read(file, text, 1) == 1);
    return 0;
}

int main(void)
{
    pthread_t thread;
    char one, other;
    pthread_create(&thread, 0, look, &one);
    look(&other);
    pthread_join(thread, 0);
    assert(one == '/' && other == '/');
    return 0;
}
