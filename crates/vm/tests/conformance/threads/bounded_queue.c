#include <pthread.h>
#include <stdio.h>

#define ROOM 3
#define ITEMS 20

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int items[ROOM], first, count;

static void *produce(void *argument) {
    (void)argument;
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        while (count == ROOM)
            pthread_cond_wait(&not_full, &mutex);
        items[(first + count++) % ROOM] = i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t producer;
    int sum = 0, ordered = 1, last = 0;
    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        while (count == 0)
            pthread_cond_wait(&not_empty, &mutex);
        int item = items[first];
        first = (first + 1) % ROOM;
        count--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
        sum += item;
        ordered &= item == last + 1;
        last = item;
    }
    pthread_join(producer, NULL);
    printf("%d %d\n", sum, ordered);
    return 0;
}
