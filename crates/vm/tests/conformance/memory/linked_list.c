#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *push(struct node *head, int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = head;
    return n;
}

static struct node *reverse(struct node *head) {
    struct node *done = NULL;
    while (head) {
        struct node *next = head->next;
        head->next = done;
        done = head;
        head = next;
    }
    return done;
}

int main(void) {
    struct node *head = NULL;
    for (int i = 0; i < 6; i++)
        head = push(head, i * 3);
    head = reverse(head);
    for (struct node *n = head; n; n = n->next)
        printf("%d ", n->value);
    puts("");
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
