#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

static pthread_key_t keys[4];
static int rounds;

static void first(void *value) {
    printf("first %s\n", (char *)value);
    pthread_setspecific(keys[1], "set by first");
}

static void second(void *value) {
    printf("second %s %d\n", (char *)value, pthread_getspecific(keys[1]) == NULL);
}

static void again(void *value) {
    rounds++;
    pthread_setspecific(keys[2], value);
}

static void never(void *value) {
    puts("never");
}

static void *run(void *argument) {
    pthread_setspecific(keys[0], "one");
    pthread_setspecific(keys[2], "three");
    pthread_setspecific(keys[3], "four");
    pthread_key_delete(keys[3]);
    return argument;
}

static void *set_to_null(void *argument) {
    pthread_setspecific(keys[0], "x");
    pthread_setspecific(keys[0], NULL);
    pthread_exit(argument);
}

int main(void) {
    void (*destructors[])(void *) = {first, second, again, never};
    pthread_t thread;
    for (int i = 0; i < 4; i++)
        printf("%d ", pthread_key_create(&keys[i], destructors[i]));
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", rounds == PTHREAD_DESTRUCTOR_ITERATIONS);
    pthread_create(&thread, NULL, set_to_null, NULL);
    pthread_join(thread, NULL);
    printf("%d ", pthread_key_delete(keys[3]) == EINVAL);
    printf("%d ", pthread_setspecific(keys[3], "x") == EINVAL);
    printf("%d\n", pthread_getspecific(keys[3]) == NULL);
    pthread_key_t more[PTHREAD_KEYS_MAX];
    int n = 0;
    while (n < PTHREAD_KEYS_MAX && !pthread_key_create(&more[n], NULL))
        n++;
    pthread_key_t last;
    printf("%d %d\n", n > 100, pthread_key_create(&last, NULL) == EAGAIN);
    pthread_setspecific(keys[1], "main's, not destroyed by exit");
    return 0;
}
