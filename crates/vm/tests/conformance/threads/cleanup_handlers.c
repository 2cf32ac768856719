#include <pthread.h>
#include <stdio.h>

static void say(void *argument) {
    printf("cleanup %s\n", (char *)argument);
}

static void *popped(void *argument) {
    pthread_cleanup_push(say, "one");
    pthread_cleanup_push(say, "two");
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(0);
    return argument;
}

static void inner(void) {
    pthread_cleanup_push(say, "inner");
    pthread_exit("exited");
    pthread_cleanup_pop(0);
}

static void *exited(void *argument) {
    pthread_cleanup_push(say, "outer");
    inner();
    pthread_cleanup_pop(0);
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, popped, "returned");
    pthread_join(thread, &result);
    puts(result);
    pthread_create(&thread, NULL, exited, "returned");
    pthread_join(thread, &result);
    puts(result);
    return 0;
}
