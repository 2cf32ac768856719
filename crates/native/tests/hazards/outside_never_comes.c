// finds: hang
// says: to read from a pipe (file descriptor
// forks: it calls fork
// runs: 1
// waits: until what is outside is given up
// Whoever has the other end of the pipe lives, and never writes.
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *listen_to(void *arg) {
    char byte;
    read(ends[0], &byte, 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    if (pipe(ends) != 0)
        return 1;
    if (fork() == 0)
        pause();
    pthread_create(&thread, 0, listen_to, 0);
    pthread_join(thread, 0);
}
