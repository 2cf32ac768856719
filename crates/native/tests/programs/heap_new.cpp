// expect: use-after-free
// `new` and `delete` come here by `malloc` and `free`.
#include <memory>
#include <string>
#include <thread>

int main() {
    auto owner = std::make_unique<std::string>("a text that is too long to lie in the object");
    std::string *text = owner.get();
    std::thread thread([&] { owner.reset(); });
    thread.join();
    return text->size() == 0;
}
