/* call_once_fixed: whoever comes first opens the log.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * predict:  none
 * shows:    none
 * verdict:  clean
 */

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::atomic<int> n_opened;
static std::once_flag is_open;

static void open_log()
{
    n_opened++;
}

static void write_log()
{
    std::call_once(is_open, open_log);
}

int main()
{
    std::thread ann(write_log), ben(write_log);
    ann.join();
    ben.join();
    assert(n_opened == 1);
}
