/* thread_local_total: each thread counts for itself and adds that to the total when it ends.
 *
 * threads:  3
 * bug:      the destructors add to the total without its mutex
 * kinds:    race, assertion
 * predict:  race
 * shows:    assertion
 * bound:    1
 * verdict:  fails
 */

#include <cassert>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int total; // guarded by mutex

struct counter {
    int n = 0;
    ~counter()
    {
        total += n;
    }
};

static thread_local counter mine;

static void count()
{
    for (int i = 0; i < 3; i++)
        mine.n++;
}

int main()
{
    std::thread ann(count), ben(count);
    ann.join();
    ben.join();
    std::lock_guard<std::mutex> guard(mutex);
    assert(total == 6);
}
