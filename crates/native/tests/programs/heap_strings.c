// expect: exited 0
// output: raddle
// Text that the C library allocates is given back like any other.
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *name = strdup("raddle"), *part = strndup("raddle", 3), *text;
    assert(asprintf(&text, "%s-%s", name, part) == 10);
    assert(strcmp(text, "raddle-rad") == 0);
    puts(name);
    free(name);
    free(part);
    free(text);
    return 0;
}
