#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_key_t first, second;
static int rounds;

static void destroy_first(void *value) {
    printf("first %d %d\n", *(int *)value, pthread_getspecific(first) == NULL);
    free(value);
}

static void destroy_second(void *value) {
    rounds++;
    printf("second, round %d\n", rounds);
    if (rounds < 3)
        pthread_setspecific(second, value);
}

static void *run(void *argument) {
    int *own = malloc(sizeof *own);
    *own = *(int *)argument;
    pthread_setspecific(first, own);
    if (*own == 1)
        pthread_setspecific(second, &second);
    if (*own == 2)
        pthread_exit(NULL);
    return NULL;
}

int main(void) {
    pthread_key_create(&first, destroy_first);
    pthread_key_create(&second, destroy_second);
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, &i);
        pthread_join(thread, NULL);
    }
    puts("main's values are not destroyed by return");
    return 0;
}
