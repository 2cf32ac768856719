// expect: exited 0
// output: 1
// A local static variable is initialised once, and everybody sees it whole.
#include <cassert>
#include <cstdio>
#include <thread>
#include <vector>

static int n_made;

struct Value {
    int a, b;
    Value() : a(1) {
        n_made++;
        std::this_thread::yield();
        b = 1;
    }
};

static Value &value() {
    static Value it;
    return it;
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([] { assert(value().a == 1 && value().b == 1); });
    for (auto &thread : threads)
        thread.join();
    std::printf("%d\n", n_made);
}
