/* Threads put messages into a hash table, whose entries have locks; collisions go to the next
   entry. After Flanagan and Godefroid's indexer. THREADS and MESSAGES set its size. */
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 8
#endif
#ifndef MESSAGES
#define MESSAGES 4
#endif
#ifndef SIZE
#define SIZE 512
#endif

static int table[SIZE];
static pthread_mutex_t lock[SIZE];

static void *work(void *arg) {
    int id = (int)(long)arg;
    for (int m = 1; m <= MESSAGES; m++) {
        int message = m * 11 + id;
        int at = (message * 7) % SIZE;
        for (;;) {
            pthread_mutex_lock(&lock[at]);
            int old = table[at];
            if (old == 0) {
                table[at] = message;
            }
            pthread_mutex_unlock(&lock[at]);
            if (old == 0) {
                break;
            }
            at = (at + 1) % SIZE;
        }
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_init(&lock[i], 0);
    }
    for (long i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], 0, work, (void *)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], 0);
    }
    return 0;
}
