#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *square(void *argument) {
    intptr_t n = (intptr_t)argument;
    return (void *)(n * n);
}

int main(void) {
    pthread_t threads[5];
    for (intptr_t i = 0; i < 5; i++)
        printf("%d ", pthread_create(&threads[i], NULL, square, (void *)i));
    puts("");
    for (int i = 0; i < 5; i++) {
        void *result;
        int error = pthread_join(threads[i], &result);
        printf("%d %ld\n", error, (long)(intptr_t)result);
    }
    return 0;
}
