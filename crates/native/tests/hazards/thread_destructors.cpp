// finds: nothing
// What threads own goes with them, in every run.
#include <atomic>
#include <cassert>
#include <pthread.h>
#include <string>
#include <thread>

static std::atomic<int> n_made, n_gone, n_keys;

struct Owned {
    std::string text = std::string(100, 'x');
    Owned() { n_made++; }
    ~Owned() { n_gone++; }
};

static thread_local Owned owned;
static pthread_key_t key;

static void work()
{
    assert(owned.text.size() == 100);
    owned.text += "more";
    pthread_setspecific(key, &owned);
}

int main()
{
    pthread_key_create(&key, [](void *) { n_keys++; });
    std::thread one(work), other(work);
    one.join();
    other.join();
    assert(n_made == 2 && n_gone == 2 && n_keys == 2);
    return 0;
}
