/* stop_token: a worker tidies up and sleeps until it is asked to stop.
 *
 * threads:  2
 * bug:      it is asked and woken between its look at the token and its wait
 * kinds:    lost-wakeup, deadlock
 * flags:    -std=c++20
 * predict:  lost-wakeup
 * shows:    deadlock
 * bound:    1
 * verdict:  fails
 */

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static std::mutex mutex;
static std::condition_variable awake;
static std::atomic<int> n_rounds;
static int shelves[6]; // guarded by mutex

static void work(std::stop_token token)
{
    std::unique_lock<std::mutex> guard(mutex);
    while (!token.stop_requested()) {
        n_rounds++;
        for (int &shelf : shelves)
            shelf++;
        awake.wait(guard);
    }
}

int main()
{
    std::jthread worker(work);
    while (n_rounds == 0)
        std::this_thread::yield();
    worker.request_stop();
    awake.notify_all();
}
