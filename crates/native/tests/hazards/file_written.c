// finds: nothing
// forks: it calls open to write a file
// A file is made, filled, looked at and removed.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *add(void *file)
{
    assert(write(*(int *)file, "12", 2) == 2);
    return 0;
}

int main(void)
{
    pthread_t thread;
    int file = open("made", O_RDWR | O_CREAT | O_EXCL, 0600);
    assert(file >= 0);
    pthread_create(&thread, 0, add, &file);
    add(&file);
    pthread_join(thread, 0);
    assert(lseek(file, 0, SEEK_END) == 4);
    assert(unlink("made") == 0);
    return 0;
}
