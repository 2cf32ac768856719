// expect: exited 0
// flags: -std=c++20
// output: 6
// std::atomic::wait, std::latch, std::counting_semaphore and std::barrier.
#include <atomic>
#include <barrier>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

static std::atomic<int> turn{0};
static std::latch ready{3};
static std::counting_semaphore<3> slots{1};
static std::barrier together{3};
static int sum;

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([i] {
            ready.arrive_and_wait();
            slots.acquire();
            slots.release();
            together.arrive_and_wait();
            for (int now = turn; now != i; now = turn)
                turn.wait(now);
            sum += i + 1;
            turn++;
            turn.notify_all();
        });
    for (auto &thread : threads)
        thread.join();
    std::printf("%d\n", sum);
}
