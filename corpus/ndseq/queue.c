// A queue without locks (Michael and Scott): both ends retry until their exchange succeeds.
// focus: head, tail, taken
// expect: inferred
// if(*): 25-32, 40-43
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node nodes[8];
_Atomic(struct node *) head = &nodes[7];
_Atomic(struct node *) tail = &nodes[7];
int taken[8];

static void enqueue(int value)
{
    struct node *node = &nodes[value];
    bool done = false;
    node->value = value;
    while (!done) {
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&last->next);
        if (next) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            done = true;
        }
    }
}

static int dequeue(void)
{
    int value = -1;
    while (value < 0) {
        struct node *first = atomic_load(&head);
        struct node *next = atomic_load(&first->next);
        if (atomic_compare_exchange_strong(&head, &first, next))
            value = next->value;
    }
    return value;
}

static void *worker(void *arg)
{
    long i = (long)arg;
    if (i % 2)
        enqueue((int)i);
    else
        taken[i] = dequeue();
    return 0;
}

int main(void)
{
    pthread_t threads[4];
    enqueue(4);
    enqueue(5);
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
