/* promise_twice_fixed: two parts of a job can fail, and the first failure is the result of the job.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * predict:  none
 * shows:    none
 * verdict:  clean
 */

#include <atomic>
#include <cassert>
#include <exception>
#include <future>
#include <stdexcept>
#include <thread>

static std::promise<int> result;
static std::atomic<bool> has_failed;

static void fail(std::exception_ptr error)
{
    if (!has_failed.exchange(true)) {
        result.set_exception(error);
    }
}

static void part()
{
    try {
        throw std::runtime_error("no paper");
    } catch (...) {
        fail(std::current_exception());
    }
}

int main()
{
    std::future<int> future = result.get_future();
    std::thread ann(part), ben(part);
    bool was_thrown = false;
    try {
        future.get();
    } catch (const std::runtime_error &) {
        was_thrown = true;
    }
    ann.join();
    ben.join();
    assert(was_thrown);
}
