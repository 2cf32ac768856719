/* stop_token_fixed: a worker tidies up and sleeps until it is asked to stop.
 *
 * threads:  2
 * bug:      none
 * kinds:    none
 * flags:    -std=c++20
 * predict:  none
 * shows:    none
 * verdict:  clean
 */

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static std::mutex mutex;
static std::condition_variable_any awake;
static std::atomic<int> n_rounds;
static int shelves[6]; // guarded by mutex

static void work(std::stop_token token)
{
    std::unique_lock<std::mutex> guard(mutex);
    n_rounds++;
    for (int &shelf : shelves)
        shelf++;
    awake.wait(guard, token, [] { return false; });
}

int main()
{
    std::jthread worker(work);
    while (n_rounds == 0)
        std::this_thread::yield();
    worker.request_stop();
}
