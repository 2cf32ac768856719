// expect: exited 0
// output: 5 destructors
// output: key 1
// pthread_exit runs destructors of all frames and of thread-local objects, then of keys.
#include <cassert>
#include <cstdio>
#include <pthread.h>
#include <thread>

static int n_destructors, n_keys;
static pthread_key_t key;

struct Counts {
    ~Counts() { n_destructors++; }
};
static thread_local Counts local;

static void deep(int depth) {
    Counts counts;
    if (depth == 0)
        pthread_exit((void *)42);
    try {
        deep(depth - 1);
    } catch (int) {
        assert(!"not an int");
    } catch (...) {
        std::this_thread::yield();
        throw;
    }
}

static void *thread(void *) {
    Counts *touched = &local;
    assert(touched);
    pthread_setspecific(key, &key);
    Counts counts;
    deep(2);
    assert(!"never comes back");
    return nullptr;
}

int main() {
    pthread_key_create(&key, [](void *) { n_keys++; });
    pthread_t other;
    void *result;
    pthread_create(&other, nullptr, thread, nullptr);
    pthread_join(other, &result);
    assert(result == (void *)42);
    std::printf("%d destructors\nkey %d\n", n_destructors, n_keys);
}
