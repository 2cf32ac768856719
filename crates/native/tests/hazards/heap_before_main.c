// finds: nothing
// What was allocated before `main` is there in every run, though each of them frees it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static int n_starts;

__attribute__((constructor)) static void start(void)
{
    text = strdup("as before");
    n_starts++;
}

static void *drop(void *unused)
{
    assert(strcmp(text, "as before") == 0);
    strcpy(text, "used up");
    free(text);
    text = 0;
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(n_starts == 1);
    pthread_create(&thread, 0, drop, 0);
    pthread_join(thread, 0);
    assert(!text);
    return 0;
}
