// expect: use-after-free
// One thread frees a block, the other one waits for that and then reads it.
#include <pthread.h>
#include <stdlib.h>

struct node {
    long key;
    int value;
};
static struct node *shared;

static void *reader(void *argument) {
    pthread_join(*(pthread_t *)argument, 0);
    return (void *)(long)shared->value;
}

static void *owner(void *argument) {
    free(shared);
    return argument;
}

int main(void) {
    pthread_t first, second;
    shared = calloc(1, sizeof *shared);
    pthread_create(&first, 0, owner, 0);
    pthread_create(&second, 0, reader, &first);
    pthread_join(second, 0);
    return 0;
}
