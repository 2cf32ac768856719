// finds: nothing
// forks: it calls open to write a file
// What a run leaves behind is there in the next one. Who then asks what to do gets no answer, but
// does not wait for one for ever.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *make(void *unused)
{
    if (access("left", F_OK) == 0) {
        puts("overwrite?");
        assert(getchar() == EOF);
    }
    close(open("left", O_RDWR | O_CREAT, 0600));
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, make, 0);
    make(0);
    pthread_join(thread, 0);
    return 0;
}
