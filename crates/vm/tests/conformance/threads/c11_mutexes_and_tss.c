#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t plain, recursive, timed;
static tss_t slot;

static void destroy(void *value) {
    printf("destroy %s\n", (char *)value);
}

static int run(void *argument) {
    struct timespec past = {0, 0};
    printf("%d\n", mtx_trylock(&plain) == thrd_busy);
    printf("%d\n", mtx_trylock(&recursive) == thrd_busy);
    printf("%d\n", mtx_timedlock(&timed, &past) == thrd_timedout);
    printf("%d ", tss_get(slot) == NULL);
    tss_set(slot, argument);
    printf("%s\n", (char *)tss_get(slot));
    return 0;
}

int main(void) {
    thrd_t thread;
    mtx_init(&plain, mtx_plain);
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    mtx_init(&timed, mtx_timed);
    printf("%d\n", tss_create(&slot, destroy) == thrd_success);
    mtx_lock(&plain);
    mtx_lock(&recursive);
    printf("%d\n", mtx_trylock(&recursive) == thrd_success);
    mtx_unlock(&recursive);
    mtx_lock(&timed);
    thrd_create(&thread, run, "value");
    thrd_join(thread, NULL);
    mtx_unlock(&timed);
    mtx_unlock(&recursive);
    mtx_unlock(&plain);
    printf("%d\n", thrd_equal(thrd_current(), thrd_current()) != 0);
    return 0;
}
