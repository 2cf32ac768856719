// finds: nothing
// Two sockets that are connected with each other, and a wait for either of two files.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int pairs[2][2];

static void *answer(void *unused)
{
    char byte;
    assert(recv(pairs[0][1], &byte, 1, 0) == 1);
    byte++;
    assert(send(pairs[1][1], &byte, 1, 0) == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte = 4;
    for (int i = 0; i < 2; i++)
        assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]) == 0);
    pthread_create(&thread, 0, answer, 0);
    assert(send(pairs[0][0], &byte, 1, 0) == 1);
    struct pollfd files[] = {{pairs[0][0], POLLIN, 0}, {pairs[1][0], POLLIN, 0}};
    assert(poll(files, 2, -1) == 1 && files[1].revents == POLLIN);
    assert(recv(pairs[1][0], &byte, 1, 0) == 1 && byte == 5);
    pthread_join(thread, 0);
    return 0;
}
