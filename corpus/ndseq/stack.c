// A stack without locks (Treiber): pushes and pops retry until their exchange succeeds.
// focus: top, taken
// expect: inferred
// if(*): 24-27, 35-38
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct node {
    int value;
    struct node *next;
};

static struct node nodes[8];
_Atomic(struct node *) top;
int taken[8];

static void push(int value)
{
    struct node *node = &nodes[value];
    bool done = false;
    node->value = value;
    while (!done) {
        struct node *old = atomic_load(&top);
        node->next = old;
        if (atomic_compare_exchange_strong(&top, &old, node))
            done = true;
    }
}

static int pop(void)
{
    int value = -1;
    while (value < 0) {
        struct node *old = atomic_load(&top);
        struct node *next = old->next;
        if (atomic_compare_exchange_strong(&top, &old, next))
            value = old->value;
    }
    return value;
}

static void *worker(void *arg)
{
    long i = (long)arg;
    if (i % 2)
        push((int)i);
    else
        taken[i] = pop();
    return 0;
}

int main(void)
{
    pthread_t threads[4];
    push(4);
    push(5);
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
