/* mutex_order_fixed: two tellers move money between two accounts, which they lock together.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * flags:    -std=c++17
 * predict:  none
 * shows:    none
 * verdict:  clean
 */

#include <cassert>
#include <mutex>
#include <thread>

struct account {
    std::mutex mutex;
    int balance = 100; // guarded by mutex
};

static account mine, yours;

static void move(account &from, account &to, int amount)
{
    std::scoped_lock both(from.mutex, to.mutex);
    from.balance -= amount;
    to.balance += amount;
}

int main()
{
    std::thread ann([] { move(mine, yours, 10); });
    std::thread ben([] { move(yours, mine, 30); });
    ann.join();
    ben.join();
    assert(mine.balance == 120 && yours.balance == 80);
}
