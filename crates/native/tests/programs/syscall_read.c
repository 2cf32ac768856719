// expect: exited 0
// output: got 7
// A read by the `syscall` function waits for its turn as `read` does.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused)
{
    char byte = 7;
    assert(write(ends[1], &byte, 1) == 1);
    return unused;
}

int main(void)
{
    char byte = 0;
    pthread_t thread;
    assert(pipe(ends) == 0);
    pthread_create(&thread, 0, writer, 0);
    assert(syscall(SYS_read, ends[0], &byte, 1) == 1);
    pthread_join(thread, 0);
    printf("got %d\n", byte);
    return 0;
}
