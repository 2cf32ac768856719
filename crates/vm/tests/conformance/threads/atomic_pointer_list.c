#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) head;

static void *push(void *argument) {
    for (int i = 0; i < 5; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = *(int *)argument + i;
        n->next = atomic_load(&head);
        while (!atomic_compare_exchange_weak(&head, &n->next, n)) {
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int starts[2] = {100, 200};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, push, &starts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    int count = 0, sum = 0;
    for (struct node *n = atomic_exchange(&head, NULL); n;) {
        struct node *next = n->next;
        count++;
        sum += n->value;
        free(n);
        n = next;
    }
    printf("%d %d %d\n", count, sum, head == NULL);
    return 0;
}
