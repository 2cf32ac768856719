/* treiber_aba: threads take buffers from a lock-free stack (Treiber's) and put them back.
 *
 * threads:  3
 * bug:      the top is the same again although the stack is not (ABA), a buffer is handed out twice
 * kinds:    atomicity, assertion
 * predict:  none
 * bound:    2
 * verdict:  fails
 */

/* A failing interleaving; the stack has the buffers 0, 1 and 2 from the top:
 *
 *   main  creates ann and ben, blocks in the join of ann
 *   ann   take: the top is 0 and the next one 1
 *         -- preemption 1 --
 *   ben   takes 0, takes 1, puts 0 back: the stack has 0 and 2
 *         -- preemption 2 --
 *   ann   take: the top is 0, as expected, and becomes 1, which ben has; puts 0 back: the stack
 *         has 0, 1 and 2; exits
 *   ben   puts 1 back on top of 0, which 1 follows; exits
 *   main  joins both, takes 1, takes 0, takes 1 again: the assertion fails
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define N_BUFFERS 3
#define NONE N_BUFFERS

static struct {
    atomic_uint next; /* the buffer below, or NONE */
    char bytes[16];
} buffers[N_BUFFERS];

static atomic_uint top = NONE;

static unsigned take(void)
{
    unsigned index = top, next;

    do {
        if (index == NONE)
            return NONE;
        next = buffers[index].next;
    } while (!atomic_compare_exchange_strong(&top, &index, next));
    return index;
}

static void put(unsigned index)
{
    unsigned old = top;

    do
        buffers[index].next = old;
    while (!atomic_compare_exchange_strong(&top, &old, index));
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
