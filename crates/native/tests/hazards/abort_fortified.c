// finds: abort
// flags: -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
// The C library finds that a text is longer than its place.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static char place[8];
static _Atomic(const char *) text = "short";

static void *work(void *unused)
{
    strcpy(place, text);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    text = "longer than its place";
    pthread_join(thread, 0);
    puts(place);
    return 0;
}
