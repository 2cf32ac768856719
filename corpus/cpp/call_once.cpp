/* call_once: whoever comes first opens the log.
 *
 * threads:  3
 * bug:      whether it is open is a plain flag that nobody guards
 * kinds:    race, assertion
 * predict:  race
 * shows:    assertion
 * bound:    1
 * verdict:  fails
 */

#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> n_opened;
static bool is_open;

static void open_log()
{
    n_opened++;
}

static void write_log()
{
    if (!is_open) {
        is_open = true;
        open_log();
    }
}

int main()
{
    std::thread ann(write_log), ben(write_log);
    ann.join();
    ben.join();
    assert(n_opened == 1);
}
