#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int main(void) {
    char *a = strdup("duplicate"), *b = strndup("duplicate", 3);
    printf("%s %s\n", a, b);
    free(a);
    free(b);
    char buffer[20];
    char *end = stpcpy(buffer, "step");
    end = stpcpy(end, "-by-step");
    printf("%s %td\n", buffer, end - buffer);
    char *after = mempcpy(buffer, "MEM", 3);
    printf("%s %td\n", buffer, after - buffer);
    printf("%d %d\n", strcasecmp("HeLLo", "hEllO"), strncasecmp("abcX", "ABCy", 3));
    bzero(buffer, sizeof buffer);
    printf("%zu %d\n", strlen(buffer), ffs(0x18));
    return 0;
}
