/* shared_mutex_upgrade: guests enter a room for one as long as it is empty.
 *
 * threads:  3
 * bug:      the room is looked at under a shared lock, and entered later under another one
 * kinds:    atomicity, assertion
 * flags:    -std=c++17
 * predict:  none
 * shows:    assertion
 * bound:    1
 * verdict:  fails
 */

#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex door;
static int n_guests; // guarded by door

static bool is_empty()
{
    std::shared_lock<std::shared_mutex> guard(door);
    return n_guests == 0;
}

static void enter()
{
    if (is_empty()) {
        std::unique_lock<std::shared_mutex> guard(door);
        n_guests++;
    }
}

int main()
{
    std::thread ann(enter), ben(enter);
    ann.join();
    ben.join();
    assert(n_guests == 1);
}
