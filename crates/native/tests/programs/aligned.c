// expect: exited 0
// Where variables lie on the stack that have to be aligned must not depend on how much lies above them.
#include <pthread.h>

static void *add(void *number)
{
    ++*(long *)number;
    return 0;
}

int main(void)
{
    _Alignas(64) long first[8] = {0};
    _Alignas(1024) long second = 1;
    pthread_t threads[2];
    pthread_create(&threads[0], 0, add, first);
    pthread_create(&threads[1], 0, add, &second);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return first[0] + second != 3;
}
