// finds: abort
// An exception that nobody catches, in one order.
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<int> n{0};

int main()
{
    std::thread thread([] {
        if (n)
            throw std::runtime_error("nobody wants it");
    });
    n = 1;
    thread.join();
    return 0;
}
