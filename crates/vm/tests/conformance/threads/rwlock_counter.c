#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock;
static int a, b;

static void *writer(void *argument) {
    for (int i = 0; i < 20; i++) {
        pthread_rwlock_wrlock(&lock);
        a++;
        b++;
        pthread_rwlock_unlock(&lock);
    }
    return argument;
}

static void *reader(void *argument) {
    int *equal = argument;
    for (int i = 0; i < 20; i++) {
        pthread_rwlock_rdlock(&lock);
        *equal &= a == b;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    int equal[2] = {1, 1};
    pthread_rwlock_init(&lock, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, writer, NULL);
        pthread_create(&threads[2 + i], NULL, reader, &equal[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d %d\n", a, b, equal[0], equal[1]);
    return 0;
}
