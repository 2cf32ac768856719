/* promise_twice: two parts of a job can fail, and the first failure is the result of the job.
 *
 * threads:  3
 * bug:      whether one has failed is looked at and noted by two atomic operations
 * kinds:    atomicity, abort
 * predict:  none
 * shows:    abort
 * bound:    1
 * verdict:  fails
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
    if (!has_failed) {
        has_failed = true;
        result.set_exception(error); // throws if there is a result
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
