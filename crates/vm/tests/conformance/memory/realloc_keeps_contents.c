#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = realloc(NULL, 4);
    strcpy(s, "abc");
    for (size_t size = 8; size <= 64; size *= 2) {
        s = realloc(s, size);
        size_t length = strlen(s);
        memset(s + length, 'a' + (int)(size / 8), size - length - 1);
        s[size - 1] = 0;
        printf("%zu %s\n", strlen(s), s);
    }
    s = realloc(s, 4);
    s[3] = 0;
    puts(s);
    free(s);
    return 0;
}
