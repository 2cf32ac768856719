#include <stdio.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t cond;
static once_flag once = ONCE_FLAG_INIT;
static int ready, counter, initialised;

static void initialise(void) {
    initialised++;
}

static int worker(void *argument) {
    call_once(&once, initialise);
    mtx_lock(&mutex);
    while (!ready)
        cnd_wait(&cond, &mutex);
    counter += *(int *)argument;
    mtx_unlock(&mutex);
    return *(int *)argument * 2;
}

static int leaver(void *argument) {
    (void)argument;
    thrd_exit(-3);
}

int main(void) {
    thrd_t threads[3], last;
    int numbers[3] = {1, 2, 3}, result;
    printf("%d %d\n", mtx_init(&mutex, mtx_plain) == thrd_success, cnd_init(&cond) == thrd_success);
    for (int i = 0; i < 3; i++)
        thrd_create(&threads[i], worker, &numbers[i]);
    mtx_lock(&mutex);
    ready = 1;
    cnd_broadcast(&cond);
    mtx_unlock(&mutex);
    for (int i = 0; i < 3; i++) {
        thrd_join(threads[i], &result);
        printf("%d ", result);
    }
    printf("%d %d\n", counter, initialised);
    thrd_create(&last, leaver, NULL);
    thrd_join(last, &result);
    printf("%d\n", result);
    cnd_destroy(&cond);
    mtx_destroy(&mutex);
    return 0;
}
