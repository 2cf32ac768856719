// expect: exited 0
// output: call_once 3
// output: static 3
// output: exit 2
// What fails is done again by the next one: exceptions and pthread_exit leave nothing locked.
#include <cassert>
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

static std::once_flag flag;
static std::mutex mutex;
static int n_calls, n_statics, n_exits;

static void fails_twice() {
    if (++n_calls < 3)
        throw 7;
}

struct Late {
    Late() {
        if (++n_statics < 3)
            throw 8;
    }
};

static void thread() {
    for (int i = 0; i < 3; i++) {
        try {
            std::call_once(flag, fails_twice);
        } catch (int error) {
            assert(error == 7);
        }
        try {
            static Late late;
        } catch (int error) {
            assert(error == 8);
        }
    }
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void leaves_first() {
    if (++n_exits == 1)
        pthread_exit(nullptr);
}
static void *exits(void *) {
    pthread_once(&once, leaves_first);
    return nullptr;
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(thread);
    for (auto &thread : threads)
        thread.join();
    std::printf("call_once %d\nstatic %d\n", n_calls, n_statics);
    pthread_t others[3];
    for (auto &other : others)
        pthread_create(&other, nullptr, exits, nullptr);
    for (auto &other : others)
        pthread_join(other, nullptr);
    std::printf("exit %d\n", n_exits);
}
