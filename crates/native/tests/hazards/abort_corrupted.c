// finds: abort
// The C library finds that its own lists were overwritten, and aborts in the middle of an allocation.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *volatile block;

static void *overwrite(void *arg) {
    block = malloc(24);
    memset(block + 24, 0xff, 8); // How much is left behind it.
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, overwrite, 0);
    pthread_join(thread, 0);
    overwrite(0);
    block = malloc(5000);
}
