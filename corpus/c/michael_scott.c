/* michael_scott: two threads use a lock-free queue (Michael and Scott's) with nodes from the heap.
 *
 * threads:  3
 * bug:      a node is freed as soon as it is out of the queue, although others may still look at it
 * kinds:    race, use-after-free
 * predict:  none
 * bound:    1
 * verdict:  fails
 */

/* `head` is a node whose item is out already. A failing interleaving:
 *
 *   main  makes the queue; creates ann and ben, blocks in the join of ann
 *   ann   enqueue: behind the first node there is nothing, appends a node; moves tail;
 *         dequeue: reads head, the first node
 *         -- preemption 1 --
 *   ben   enqueues; dequeue: moves head on, frees the first node; exits
 *   ann   dequeue: reads tail; reads the `next` of the first node, which is freed
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next;
    int item;
};

static _Atomic(struct node *) head, tail;
static int got[2]; /* got[i] belongs to thread i until the join */

static struct node *new_node(int item)
{
    struct node *node = malloc(sizeof *node);

    if (!node)
        abort();
    atomic_init(&node->next, NULL);
    node->item = item;
    return node;
}

static void enqueue(int item)
{
    struct node *node = new_node(item);

    for (;;) {
        struct node *last = tail;
        struct node *next = last->next;

        if (next) { /* tail lags behind */
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
    }
}

/* The item of the node behind `head`, 0 if there is none. */
static int dequeue(void)
{
    for (;;) {
        struct node *first = head;
        struct node *last = tail;
        struct node *next = first->next;

        if (!next)
            return 0;
        if (first == last) { /* tail must not lag behind head */
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&head, &first, next)) {
            int item = next->item;
            free(first);
            return item;
        }
    }
}

static void *use(void *place)
{
    enqueue(1);
    *(int *)place = dequeue();
    return NULL;
}

int main(void)
{
    pthread_t ann, ben;

    head = tail = new_node(0);
    pthread_create(&ann, NULL, use, &got[0]);
    pthread_create(&ben, NULL, use, &got[1]);
    pthread_join(ann, NULL);
    pthread_join(ben, NULL);

    assert(got[0] == 1 && got[1] == 1);
    free(head);
    return 0;
}
