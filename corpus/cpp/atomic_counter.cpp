/* atomic_counter: a shop counts what it sells until the count begins anew.
 *
 * threads:  3
 * bug:      the counter is read and written by two atomic operations
 * kinds:    atomicity, assertion
 * atomic:   sell
 * predict:  atomicity
 * shows:    assertion
 * bound:    1
 * verdict:  fails
 */

#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> n_sold{5};

static void sell()
{
    n_sold = n_sold + 1;
}

static void begin_anew()
{
    n_sold = 0;
}

int main()
{
    std::thread shop(sell), clock(begin_anew);
    shop.join();
    clock.join();
    assert(n_sold <= 1);
}
