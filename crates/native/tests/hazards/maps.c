// finds: nothing
// Memory is mapped, cut up, moved and left behind.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static void *map(void *unused)
{
    char *at = mmap(0, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(at != MAP_FAILED && at[0] == 0 && at[8 * PAGE - 1] == 0);
    memset(at, 3, 8 * PAGE);
    assert(munmap(at + 2 * PAGE, PAGE) == 0);
    assert(mprotect(at + 3 * PAGE, PAGE, PROT_READ) == 0);
    assert(at[PAGE] == 3 && at[4 * PAGE] == 3);
    char *more = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    more = mremap(more, PAGE, 16 * PAGE, MREMAP_MAYMOVE);
    assert(more != MAP_FAILED && more[15 * PAGE] == 0);
    more[15 * PAGE] = 1;
    int file = open(__FILE__, O_RDONLY);
    char *text = mmap(0, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    assert(text != MAP_FAILED && memcmp(text, "// finds", 8) == 0);
    text[0] = 'x';
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, map, 0);
    map(0);
    pthread_join(thread, 0);
    return 0;
}
