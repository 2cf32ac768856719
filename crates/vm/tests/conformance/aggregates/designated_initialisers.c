#include <stdio.h>

struct config {
    int width, height;
    const char *name;
    int limits[4];
    struct {
        char tag;
        int level;
    } nested;
};

int main(void) {
    struct config c = {
        .name = "test", .limits = {[1] = 5, 6}, .width = 3, .nested.level = 9, .nested.tag = 'x'};
    printf("%d %d %s\n", c.width, c.height, c.name);
    for (int i = 0; i < 4; i++)
        printf("%d ", c.limits[i]);
    printf("%c %d\n", c.nested.tag, c.nested.level);
    int a[] = {[5] = 1, [2] = 2, 3, [0] = 4};
    for (unsigned i = 0; i < sizeof a / sizeof a[0]; i++)
        printf("%d ", a[i]);
    puts("");
    int r[8] = {[1 ... 3] = 7, [5 ... 6] = 8};
    for (int i = 0; i < 8; i++)
        printf("%d ", r[i]);
    puts("");
    struct config d = {1, .nested = {'y'}, .limits[3] = 4};
    printf("%d %c %d %d\n", d.width, d.nested.tag, d.limits[3], d.name == NULL);
    return 0;
}
