/* condition_bare: a consumer waits for an item.
 *
 * threads:  2
 * bug:      it waits without looking whether the item is there already
 * kinds:    lost-wakeup, deadlock
 * predict:  lost-wakeup
 * shows:    deadlock
 * bound:    1
 * verdict:  fails
 */

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable filled;
static int item; // guarded by mutex

static void produce()
{
    std::lock_guard<std::mutex> guard(mutex);
    item = 7;
    filled.notify_one();
}

int main()
{
    std::thread producer(produce);
    {
        std::unique_lock<std::mutex> guard(mutex);
        filled.wait(guard);
        assert(item == 7);
    }
    producer.join();
}
