/* thread_local_total_fixed: each thread counts for itself and adds that to the total when it ends.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * predict:  none
 * shows:    none
 * verdict:  clean
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
        std::lock_guard<std::mutex> guard(mutex);
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
