/* Two locks in opposite orders: one on the stack of main, the other on the heap. */
#include <pthread.h>
#include <stdlib.h>

struct pair {
    pthread_mutex_t *first, *second;
};

static void *ascend(void *arg) {
    struct pair *pair = arg;
    pthread_mutex_lock(pair->first);
    pthread_mutex_lock(pair->second);
    pthread_mutex_unlock(pair->second);
    pthread_mutex_unlock(pair->first);
    return NULL;
}

static void *descend(void *arg) {
    struct pair *pair = arg;
    pthread_mutex_lock(pair->second);
    pthread_mutex_lock(pair->first);
    pthread_mutex_unlock(pair->first);
    pthread_mutex_unlock(pair->second);
    return NULL;
}

int main(void) {
    pthread_mutex_t here;
    pthread_mutex_t *there = malloc(sizeof *there);
    pthread_mutex_init(&here, NULL);
    pthread_mutex_init(there, NULL);
    struct pair pair = {&here, there};
    pthread_t ann, ben;
    pthread_create(&ann, NULL, ascend, &pair);
    pthread_create(&ben, NULL, descend, &pair);
    pthread_join(ann, NULL);
    pthread_join(ben, NULL);
    free(there);
    return 0;
}
