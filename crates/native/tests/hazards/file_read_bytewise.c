// finds: assertion
// runs: 12
// A thread reads its own program, byte by byte, while another one waits for its time to run out.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int is_set;

static void *read_all(void *unused)
{
    int file = open("/proc/self/exe", O_RDONLY);
    char byte;
    for (int n = 0; n < 300; n++)
        assert(read(file, &byte, 1) == 1);
    close(file);
    assert(is_set);
    return unused;
}

static void *set(void *unused)
{
    usleep(1000);
    is_set = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, read_all, 0);
    pthread_create(&threads[1], 0, set, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
