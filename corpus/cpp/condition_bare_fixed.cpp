/* condition_bare_fixed: a consumer waits for an item.
 *
 * threads:  2
 * bug:      none
 * kinds:    none
 * predict:  none
 * shows:    none
 * verdict:  clean
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
        filled.wait(guard, [] { return item != 0; });
        assert(item == 7);
    }
    producer.join();
}
