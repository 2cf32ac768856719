#include <pthread.h>
#include <stdio.h>

static pthread_t seen;

static void *run(void *argument) {
    seen = pthread_self();
    printf("%d\n", pthread_equal(seen, *(pthread_t *)argument) != 0);
    return NULL;
}

int main(void) {
    pthread_t thread, self = pthread_self();
    pthread_create(&thread, NULL, run, &self);
    pthread_join(thread, NULL);
    printf("%d %d\n", pthread_equal(thread, seen) != 0, pthread_equal(self, self) != 0);
    return 0;
}
