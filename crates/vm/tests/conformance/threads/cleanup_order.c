#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;

static void say(void *text) {
    puts(text);
}

static void inner(int leave) {
    pthread_cleanup_push(say, "inner");
    if (leave)
        pthread_exit("left");
    pthread_cleanup_pop(0);
}

static void *run(void *argument) {
    pthread_setspecific(key, "key");
    pthread_cleanup_push(say, "outer");
    pthread_cleanup_push(say, "middle");
    inner(0);
    inner(argument != NULL);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(0);
    return "returned";
}

static void *cancelled(void *argument) {
    int old;
    pthread_cleanup_push(say, "cancelled");
    printf("%d ", pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
    printf("%d\n", old == PTHREAD_CANCEL_ENABLE);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    puts("still here");
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    pthread_testcancel();
    puts("not reached");
    pthread_cleanup_pop(0);
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_key_create(&key, say);
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, run, i ? "leave" : NULL);
        pthread_join(thread, &result);
        printf("= %s\n", (char *)result);
    }
    pthread_create(&thread, NULL, cancelled, NULL);
    pthread_join(thread, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
    printf("%d %d\n", pthread_setcancelstate(9, NULL) != 0, pthread_setcanceltype(9, NULL) != 0);
    return 0;
}
