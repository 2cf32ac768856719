// finds: nothing
// flags: -ldl
// A library is loaded by a run, and not unloaded.
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>

static void *load(void *unused)
{
    void *library = dlopen("libm.so.6", RTLD_NOW);
    assert(library);
    double (*root)(double) = (double (*)(double))dlsym(library, "sqrt");
    assert(root && root(9) == 3);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, load, 0);
    load(0);
    pthread_join(thread, 0);
    return 0;
}
