// expect: use-after-free
// The last bytes of what is copied lie in memory that was freed.
#include <stdlib.h>
#include <string.h>

int main(int n, char **arguments) {
    (void)arguments;
    char *text = malloc(100);
    char copy[100];
    memset(text, 'x', 100);
    free(text);
    memcpy(copy, text, 99 + n);
    return copy[n];
}
