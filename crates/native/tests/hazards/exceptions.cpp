// finds: nothing
// Exceptions within threads, and from one to another.
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

static int fail(int n)
{
    if (n == 0)
        throw std::runtime_error("zero");
    return fail(n - 1) + 1;
}

int main()
{
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread thread([&] {
        try {
            fail(5);
        } catch (const std::exception &) {
            promise.set_exception(std::current_exception());
        }
    });
    bool caught = false;
    try {
        future.get();
    } catch (const std::runtime_error &error) {
        caught = error.what()[0] == 'z';
    }
    thread.join();
    assert(caught);
    return 0;
}
