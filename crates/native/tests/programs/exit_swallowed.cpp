// expect: abort
// What ends a thread is caught and not thrown again.
#include <pthread.h>

static void *thread(void *) {
    try {
        pthread_exit(nullptr);
    } catch (...) {
    }
    return nullptr;
}

int main() {
    pthread_t other;
    pthread_create(&other, nullptr, thread, nullptr);
    pthread_join(other, nullptr);
}
