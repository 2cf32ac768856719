// finds: nothing
// Things that are made once are made once in every run.
#include <atomic>
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

static std::atomic<int> n_made, n_called;
static std::once_flag once;

struct Made {
    std::string text = "made";
    Made() { n_made++; }
};

static const std::string &made()
{
    static Made one;
    return one.text;
}

static void work()
{
    assert(made() == "made");
    std::call_once(once, [] { n_called++; });
}

int main()
{
    assert(n_made == 0 && n_called == 0);
    std::thread one(work), other(work);
    one.join();
    other.join();
    assert(n_made == 1 && n_called == 1);
    return 0;
}
