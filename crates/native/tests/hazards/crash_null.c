// finds: crash
// A pointer that is not there yet.
#include <pthread.h>
#include <stdatomic.h>

static int value = 1;
static _Atomic(int *) pointer;

static void *look(void *unused)
{
    return *pointer ? unused : 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    pointer = &value;
    pthread_join(thread, 0);
    return 0;
}
