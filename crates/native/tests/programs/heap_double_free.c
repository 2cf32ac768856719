// expect: bad-free
// Two threads free the same block.
#include <pthread.h>
#include <stdlib.h>

static void *release(void *block) {
    free(block);
    return 0;
}

int main(void) {
    pthread_t first, second;
    void *block = malloc(24);
    pthread_create(&first, 0, release, block);
    pthread_create(&second, 0, release, block);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
