// expect: deadlock
// A function that is to run once waits for itself.
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void again(void) { pthread_once(&once, again); }

int main(void) {
    pthread_once(&once, again);
    return 0;
}
