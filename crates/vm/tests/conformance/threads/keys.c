#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;

static void *run(void *argument) {
    printf("%d ", pthread_getspecific(key) == NULL);
    printf("%d ", pthread_setspecific(key, argument));
    printf("%s\n", (char *)pthread_getspecific(key));
    return NULL;
}

int main(void) {
    pthread_t thread;
    printf("%d\n", pthread_key_create(&key, NULL));
    pthread_setspecific(key, "main's");
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, run, i ? "second" : "first");
        pthread_join(thread, NULL);
    }
    printf("%s\n", (char *)pthread_getspecific(key));
    printf("%d\n", pthread_key_delete(key));
    printf("%d\n", pthread_setspecific(key, "x") == EINVAL);
    printf("%d\n", pthread_key_delete(key) == EINVAL);
    pthread_key_t again;
    pthread_key_create(&again, NULL);
    printf("%d\n", pthread_getspecific(again) == NULL);
    return 0;
}
