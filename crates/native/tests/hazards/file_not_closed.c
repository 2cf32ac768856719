// finds: nothing
// Every run opens files, reads from their beginning, and closes none.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *look(void *unused)
{
    char text[8];
    int file = open(__FILE__, O_RDONLY);
    assert(file >= 3 && file < 10);
    assert(read(file, text, 8) == 8 && memcmp(text, "// finds", 8) == 0);
    FILE *stream = fopen(__FILE__, "r");
    assert(stream && fgetc(stream) == '/');
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    look(0);
    pthread_join(thread, 0);
    return 0;
}
