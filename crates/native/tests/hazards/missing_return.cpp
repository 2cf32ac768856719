// finds: crash
// says: without returning a value
// compiler: clang
// flags: -O0
// A function that ends without its value: the compiler puts a trap there.
#include <atomic>
#include <pthread.h>

static std::atomic<int> n{1};

__attribute__((noinline)) static int choose(int n)
{
    if (n == 1)
        return 5;
}

static void *work(void *unused)
{
    return choose(n) == 5 ? unused : nullptr;
}

int main()
{
    pthread_t thread;
    pthread_create(&thread, nullptr, work, nullptr);
    n = 2;
    pthread_join(thread, nullptr);
    return 0;
}
