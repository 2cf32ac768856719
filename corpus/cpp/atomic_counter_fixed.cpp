/* atomic_counter_fixed: a shop counts what it sells until the count begins anew.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * atomic:   sell
 * predict:  none
 * shows:    none
 * verdict:  clean
 */

#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> n_sold{5};

static void sell()
{
    n_sold.fetch_add(1, std::memory_order_relaxed);
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
