// expect: exited 0
// A mutex in memory that is freed while it is locked, again and again until the same memory comes
// back: the new one there is not locked.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static volatile int n_made; /* An access, or the program would count as not instrumented. */

int main(void) {
    n_made = 2;
    for (int round = 0; round < 10000; round++) {
        char *block = calloc(1, 100);
        pthread_mutex_t *mutex = (pthread_mutex_t *)(block + 8 * (round % 7));
        assert(pthread_mutex_trylock(mutex) == 0);
        free(block);
    }
    return 0;
}
