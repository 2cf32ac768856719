/* treiber_aba_fixed: threads take buffers from a lock-free stack that counts how often it changed.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * predict:  none
 * bound:    -
 * verdict:  clean
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define N_BUFFERS 3
#define NONE N_BUFFERS
#define INDEX 0xff   /* the low bits of top are the buffer on top, or NONE */
#define CHANGE 0x100 /* the others count changes, so that no value of top comes back */

static struct {
    atomic_uint next; /* the buffer below, or NONE */
    char bytes[16];
} buffers[N_BUFFERS];

static atomic_uint top = NONE;

static unsigned changed(unsigned old, unsigned index)
{
    return ((old & ~(unsigned)INDEX) + CHANGE) | index;
}

static unsigned take(void)
{
    unsigned old = top, index, next;

    do {
        index = old & INDEX;
        if (index == NONE)
            return NONE;
        next = buffers[index].next;
    } while (!atomic_compare_exchange_strong(&top, &old, changed(old, next)));
    return index;
}

static void put(unsigned index)
{
    unsigned old = top;

    do
        buffers[index].next = old & INDEX;
    while (!atomic_compare_exchange_strong(&top, &old, changed(old, index)));
}

static void *use_one(void *unused)
{
    (void)unused;
    put(take());
    return NULL;
}

static void *use_two(void *unused)
{
    unsigned first = take(), second = take();

    (void)unused;
    put(first);
    put(second);
    return NULL;
}

int main(void)
{
    pthread_t ann, ben;

    for (unsigned i = N_BUFFERS; i > 0; i--)
        put(i - 1);
    pthread_create(&ann, NULL, use_one, NULL);
    pthread_create(&ben, NULL, use_two, NULL);
    pthread_join(ann, NULL);
    pthread_join(ben, NULL);

    bool seen[N_BUFFERS] = {false};
    for (int i = 0; i < N_BUFFERS; i++) {
        unsigned index = take();
        assert(index != NONE && !seen[index]);
        seen[index] = true;
    }
    assert(take() == NONE);
    return 0;
}
