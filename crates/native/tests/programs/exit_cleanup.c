// expect: exited 0
// output: inner
// output: popped
// output: middle
// output: outer
// Handlers of C run innermost first, those of frames that were left not at all.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void say(void *text) {
    puts(text);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void leaves(void) {
    pthread_cleanup_push(say, "popped");
    pthread_cleanup_push(say, "inner");
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    pthread_cleanup_push(say, "never");
    pthread_cleanup_pop(0);
}

__attribute__((noinline)) static void deep(int depth) {
    char room[100];
    memset(room, depth, sizeof room);
    if (depth == 0) {
        leaves();
        pthread_exit("result");
    }
    deep(depth - 1);
    assert(room[99] == depth);
}

static void *thread(void *unused) {
    pthread_cleanup_push(say, "outer");
    pthread_cleanup_push(say, "middle");
    deep(3);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    pthread_t other;
    void *result;
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, &result);
    assert(strcmp(result, "result") == 0);
    return 0;
}
