#include <pthread.h>
#include <stdio.h>

#define ROUNDS 5
#define WIDTH 6

static int values[WIDTH];

static void *run(void *argument) {
    int *value = argument;
    *value = *value * 2 + 1;
    return value;
}

int main(void) {
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[WIDTH];
        for (int i = 0; i < WIDTH; i++)
            pthread_create(&threads[i], NULL, run, &values[i]);
        int sum = 0;
        for (int i = WIDTH - 1; i >= 0; i--) {
            void *result;
            pthread_join(threads[i], &result);
            sum += *(int *)result;
        }
        printf("%d\n", sum);
    }
    return 0;
}
