// finds: race, use-after-free
// `main` returns and what it owned is gone, while a thread still uses it.
#include <memory>
#include <mutex>
#include <pthread.h>

static std::mutex mutex;

/// Tells of the end, after what is made later is gone.
struct Last {
    ~Last() { std::lock_guard<std::mutex> guard(mutex); }
};

static Last last;
static std::unique_ptr<int> owned(new int(5));
static volatile int seen;

static void *use(void *known)
{
    seen = *static_cast<int *>(known);
    return nullptr;
}

int main()
{
    pthread_t thread;
    pthread_create(&thread, nullptr, use, owned.get());
    return 0;
}
