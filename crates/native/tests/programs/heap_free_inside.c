// expect: bad-free
// Frees an address that is not where the block begins.
#include <stdlib.h>

int main(int n, char **arguments) {
    (void)arguments;
    char *volatile block = malloc(24);
    free(block + n);
    return 0;
}
