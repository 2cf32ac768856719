/* michael_scott_fixed: two threads use a lock-free queue; nodes are freed when both have ended.
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
#include <stddef.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next;
    int item;
};

static _Atomic(struct node *) head, tail;
static int got[2]; /* got[i] belongs to thread i until the join */
static struct node *queue; /* the very first node, from which all others can be reached */

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
            return next->item;
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

    queue = new_node(0);
    head = tail = queue;
    pthread_create(&ann, NULL, use, &got[0]);
    pthread_create(&ben, NULL, use, &got[1]);
    pthread_join(ann, NULL);
    pthread_join(ben, NULL);

    assert(got[0] == 1 && got[1] == 1);
    while (queue) {
        struct node *next = queue->next;
        free(queue);
        queue = next;
    }
    return 0;
}
