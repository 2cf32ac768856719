// A stack without locks (Treiber): pushes and pops retry until their exchange succeeds.
// focus: top, sum
// expect: inferred
// if(*): 25-28, 36-41
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct node {
    int value;
    struct node *next;
};

static struct node nodes[4];
_Atomic(struct node *) top;
int sum[4];

static void push(int value)
{
    struct node *node = &nodes[value];
    bool done = false;
    node->value = value;
    while (!done) {
        struct node *old;
        {
            old = atomic_load(&top);
            node->next = old;
            done = atomic_compare_exchange_strong(&top, &old, node);
        }
    }
}

static int pop(void)
{
    int value = -1;
    while (value < 0) {
        struct node *old = atomic_load(&top);
        if (!old)
            return 0;
        if (atomic_compare_exchange_strong(&top, &old, old->next))
            value = old->value;
    }
    return value;
}

static void *worker(void *arg)
{
    long i = (long)arg;
    push((int)i);
    if (i % 2)
        sum[i] = pop();
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
