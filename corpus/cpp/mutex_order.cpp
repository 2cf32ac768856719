/* mutex_order: two tellers move money between two accounts, each locks the one it takes from first.
 *
 * threads:  3
 * bug:      they lock the same two mutexes in opposite orders
 * kinds:    deadlock
 * predict:  deadlock
 * shows:    deadlock
 * bound:    1
 * verdict:  fails
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
    std::lock_guard<std::mutex> first(from.mutex);
    std::lock_guard<std::mutex> second(to.mutex);
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
