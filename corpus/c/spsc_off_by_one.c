/* spsc_off_by_one: a producer and a consumer share a lock-free ring buffer.
 *
 * threads:  3
 * bug:      the test for a full ring is off by one, the producer overwrites an item that was not taken
 * kinds:    race, assertion
 * predict:  race
 * bound:    0
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main      creates producer and consumer, blocks in the join of producer
 *   producer  puts 1 and 2: the ring is full
 *             2 > 2 is false, puts 3 into the slot of 1; exits
 *   consumer  gets 3 from that slot; assert(item == i) fails
 */

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#define N_SLOTS 2
#define N_ITEMS 3

/* The counters only grow: item i is in slot i % N_SLOTS. */
static struct {
    int slots[N_SLOTS];
    atomic_uint n_put;   /* changed by the producer */
    atomic_uint n_taken; /* changed by the consumer */
} ring;

static void put(int item)
{
    unsigned n_put = atomic_load_explicit(&ring.n_put, memory_order_relaxed);

    while (n_put - atomic_load_explicit(&ring.n_taken, memory_order_acquire) > N_SLOTS)
        sched_yield();
    ring.slots[n_put % N_SLOTS] = item;
    atomic_store_explicit(&ring.n_put, n_put + 1, memory_order_release);
}

static int take(void)
{
    unsigned n_taken = atomic_load_explicit(&ring.n_taken, memory_order_relaxed);

    while (atomic_load_explicit(&ring.n_put, memory_order_acquire) == n_taken)
        sched_yield();
    int item = ring.slots[n_taken % N_SLOTS];
    atomic_store_explicit(&ring.n_taken, n_taken + 1, memory_order_release);
    return item;
}

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 1; i <= N_ITEMS; i++)
        put(i);
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    for (int i = 1; i <= N_ITEMS; i++) {
        int item = take();
        assert(item == i);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;

    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
