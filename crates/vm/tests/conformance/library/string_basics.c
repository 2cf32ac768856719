#include <stdio.h>
#include <string.h>

static int sign(int n) {
    return (n > 0) - (n < 0);
}

int main(void) {
    char buffer[32] = "abc";
    printf("%zu %zu\n", strlen(buffer), strnlen(buffer, 2));
    strcat(buffer, "def");
    strncat(buffer, "ghijkl", 3);
    puts(buffer);
    strncpy(buffer, "xy", 5);
    printf("%s %d %c\n", buffer, buffer[4], buffer[5]);
    printf("%d %d %d\n", sign(strcmp("a", "b")), sign(strcmp("b", "a")), strcmp("a", "a"));
    printf("%d %d\n", sign(strcmp("abc", "ab")), sign(strcmp("\x80", "a")));
    printf("%d %d\n", strncmp("abcd", "abxy", 2), sign(strncmp("abcd", "abxy", 3)));
    printf("%d\n", memcmp("a\0b", "a\0c", 3) < 0);
    return 0;
}
