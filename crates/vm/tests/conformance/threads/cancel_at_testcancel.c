#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static void say(void *argument) {
    puts(argument);
}

static void *run(void *argument) {
    pthread_cleanup_push(say, "cleaned up");
    for (;;) {
        pthread_testcancel();
        sched_yield();
    }
    pthread_cleanup_pop(0);
    return argument;
}

static void *disabled(void *argument) {
    int old;
    printf("%d ", pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
    printf("%d\n", old == PTHREAD_CANCEL_ENABLE);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, NULL);
    printf("%d\n", pthread_cancel(thread));
    pthread_join(thread, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
    pthread_create(&thread, NULL, disabled, "survived");
    pthread_join(thread, &result);
    puts(result);
    return 0;
}
