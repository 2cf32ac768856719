/* stop_token: a worker tidies up and sleeps until it is asked to stop.
 *
 * threads:  2
 * bug:      it is asked and woken between its look at the token and its wait
 * kinds:    lost-wakeup, deadlock
 * flags:    -std=c++20
 * predict:  none
 * shows:    deadlock
 * bound:    2
 * verdict:  fails
 */

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static std::mutex mutex;
static std::condition_variable awake;
static int shelves[6]; // guarded by mutex

static void work(std::stop_token token)
{
    std::unique_lock<std::mutex> guard(mutex);
    while (!token.stop_requested()) {
        for (int &shelf : shelves)
            shelf++;
        awake.wait(guard);
    }
}

int main()
{
    std::jthread worker(work);
    worker.request_stop();
    awake.notify_all();
}
