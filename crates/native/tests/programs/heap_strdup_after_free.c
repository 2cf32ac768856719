// expect: use-after-free
// Text that `strdup` allocated and that is measured after it was freed.
#include <stdlib.h>
#include <string.h>

int main(int n, char **arguments) {
    char *name = strdup(arguments[n - 1]);
    free(name);
    return strlen(name) == 0;
}
