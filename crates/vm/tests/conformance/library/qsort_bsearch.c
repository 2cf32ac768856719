#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(void) {
    int a[40];
    unsigned state = 1;
    for (int i = 0; i < 40; i++) {
        state = state * 1103515245u + 12345u;
        a[i] = (int)(state >> 16) % 100;
    }
    qsort(a, 40, sizeof a[0], compare);
    for (int i = 0; i < 40; i++)
        printf("%d ", a[i]);
    puts("");
    for (int key = 0; key < 100; key += 9) {
        int *found = bsearch(&key, a, 40, sizeof a[0], compare);
        printf("%d ", found ? *found : -1);
    }
    puts("");
    const char *words[] = {"pear", "apple", "fig", "banana"};
    qsort(words, 4, sizeof words[0], by_text);
    for (int i = 0; i < 4; i++)
        printf("%s ", words[i]);
    puts("");
    return 0;
}
