// Two threads that count without a lock: 13 scheduling points.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int count;
static int n_rounds = 2;

static void *add(void *unused) {
    (void)unused;
    for (int i = 0; i < n_rounds; i++) {
        int seen = atomic_load(&count);
        atomic_store(&count, seen + 1);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc > 1)
        n_rounds = atoi(argv[1]);
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    return 0;
}
