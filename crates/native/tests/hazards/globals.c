// finds: nothing
// Variables, those of threads, and what the C library remembers are as before in every run.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_runs;
static __thread int n_own;
static __thread char name[5000];

static void *thread(void *unused)
{
    assert(n_own++ == 0 && errno == 0 && name[4999] == 0);
    memset(name, 1, sizeof name);
    errno = 5;
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    char text[] = "a b", *rest;
    pthread_key_t key;
    assert(n_runs++ == 0 && n_own++ == 0);
    assert(getenv("LEFT_BEHIND") == 0 && setenv("LEFT_BEHIND", "1", 1) == 0);
    assert(rand() == 1804289383);
    assert(strtok_r(text, " ", &rest) == text);
    assert(pthread_key_create(&key, 0) == 0 && pthread_getspecific(key) == 0);
    pthread_setspecific(key, text);
    printf("no newline");
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, thread, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
