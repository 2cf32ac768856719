#include <pthread.h>
#include <stdio.h>

static void deep(int n) {
    if (n == 0)
        pthread_exit("from below");
    deep(n - 1);
}

static void *run(void *argument) {
    (void)argument;
    deep(5);
    return "not this";
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, &result);
    printf("%s\n", (char *)result);
    return 0;
}
