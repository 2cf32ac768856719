// expect: exited 0
// output: all as they should be
// flags: -fno-builtin
// Functions on memory and text give what they should, whoever watches.
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int main(void) {
    char a[64] = "Hello", b[64], *end;
    assert(strlen(a) == 5 && strnlen(a, 3) == 3);
    assert(memcpy(b, a, 6) == b && strcmp(a, b) == 0);
    assert(mempcpy(b, "Jelly", 5) == b + 5 && strcmp(b, "Jelly") == 0);
    assert(memcmp(a, b, 5) < 0 && bcmp(a + 1, b + 1, 3) == 0);
    assert(strncmp("abc", "abd", 2) == 0 && strncmp("abc", "abd", 3) < 0);
    assert(strcasecmp("ABC", "abc") == 0 && strncasecmp("ABx", "aby", 2) == 0);
    assert(strcat(a, ", you") == a && strcmp(a, "Hello, you") == 0);
    assert(strncat(a, " there", 3) == a && strcmp(a, "Hello, you th") == 0);
    assert(strcpy(b, a) == b && strcmp(b, a) == 0);
    end = stpcpy(b, "xyz");
    assert(end == b + 3 && *end == 0);
    memset(b, 'q', sizeof b);
    assert(strncpy(b, "xy", 5) == b && b[2] == 0 && b[4] == 0 && b[5] == 'q');
    assert(stpncpy(b, "xy", 5) == b + 2);
    assert(strchr(a, 'o') == a + 4 && strrchr(a, 'o') == a + 8 && strchr(a, 'z') == 0);
    assert(strchr(a, 0) == a + 13 && strchrnul(a, 'z') == a + 13);
    assert(strstr(a, "you") == a + 7 && strstr(a, "me") == 0 && strstr(a, "") == a);
    assert(memchr(a, 'l', 13) == a + 2 && memchr(a, 'z', 13) == 0 && memrchr(a, 'l', 13) == a + 3);
    memcpy(b, "0123456789", 10);
    assert(memmove(b + 2, b, 8) == b + 2 && memcmp(b, "0101234567", 10) == 0);
    assert(memmove(b, b + 2, 8) == b && memcmp(b, "0123456767", 10) == 0);
    bcopy(b, b + 1, 4);
    assert(memcmp(b, "0012356767", 3) == 0);
    bzero(b, 3);
    assert(b[0] == 0 && b[2] == 0 && b[3] == '2');
    puts("all as they should be");
    return 0;
}
