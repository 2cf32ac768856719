#include <stdio.h>
#include <stdlib.h>

struct tree {
    int key;
    struct tree *left, *right;
};

static void insert(struct tree **at, int key) {
    while (*at)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = calloc(1, sizeof **at);
    (*at)->key = key;
}

static int depth(const struct tree *t) {
    if (!t)
        return 0;
    int l = depth(t->left), r = depth(t->right);
    return 1 + (l > r ? l : r);
}

static void print_and_free(struct tree *t) {
    if (!t)
        return;
    print_and_free(t->left);
    printf("%d ", t->key);
    print_and_free(t->right);
    free(t);
}

int main(void) {
    struct tree *root = NULL;
    int keys[] = {50, 30, 70, 20, 40, 60, 80, 10, 45};
    for (int i = 0; i < 9; i++)
        insert(&root, keys[i]);
    printf("%d\n", depth(root));
    print_and_free(root);
    puts("");
    return 0;
}
