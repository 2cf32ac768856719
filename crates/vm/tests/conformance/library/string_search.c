#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

static void show(const char *base, const char *found) {
    if (found)
        printf("%td:%s\n", found - base, found);
    else
        puts("none");
}

int main(void) {
    const char *s = "the quick brown fox, the lazy dog";
    show(s, strchr(s, 'q'));
    show(s, strrchr(s, 't'));
    show(s, strchr(s, 'z' + 1));
    show(s, strchr(s, 0));
    show(s, strstr(s, "brown"));
    show(s, strstr(s, "the lazy"));
    show(s, strstr(s, "cat"));
    show(s, strstr(s, ""));
    show(s, strpbrk(s, ",x"));
    show(s, memchr(s, 'f', 10));
    show(s, memchr(s, 'f', strlen(s)));
    show(s, strchrnul(s, '!'));
    show(s, strcasestr(s, "LAZY"));
    printf("%zu %zu\n", strspn(s, "eht "), strcspn(s, "xyz"));
    return 0;
}
