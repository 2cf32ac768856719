// finds: nothing
// Nobody answers, and nobody waits for an answer.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *look(void *unused)
{
    assert(getchar() == EOF);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    look(0);
    pthread_join(thread, 0);
    return 0;
}
