// finds: nothing
// Output by several threads through one stream, which the C library guards.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <thread>

static void speak(int number)
{
    std::ostringstream text;
    text << "thread " << number << " says " << 1.5 << std::endl;
    std::fputs(text.str().c_str(), stdout);
    std::cerr << text.str();
}

int main()
{
    std::thread one(speak, 1), other(speak, 2);
    one.join();
    other.join();
    return 0;
}
