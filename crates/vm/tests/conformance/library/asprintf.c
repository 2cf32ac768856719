#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *format(const char *text, ...) {
    va_list list;
    char *result;
    va_start(list, text);
    if (vasprintf(&result, text, list) < 0)
        result = NULL;
    va_end(list);
    return result;
}

int main(void) {
    char *a, *b = format("<%s|%d>", "inner", 5);
    int n = asprintf(&a, "%s %0200d", b, 1);
    printf("%d %zu %.12s\n", n, strlen(a), a);
    free(a);
    free(b);
    return 0;
}
