#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

int main(void) {
    char text[] = "  one two,,three ; four";
    for (char *t = strtok(text, " ,;"); t; t = strtok(NULL, " ,;"))
        printf("[%s]", t);
    puts("");
    char outer[] = "a=1;b=2;c=3", *rest, *inner;
    for (char *t = strtok_r(outer, ";", &rest); t; t = strtok_r(NULL, ";", &rest)) {
        char *key = strtok_r(t, "=", &inner);
        char *value = strtok_r(NULL, "=", &inner);
        printf("%s->%s ", key, value);
    }
    puts("");
    char fields[] = "x,,y,", *at = fields, *field;
    while ((field = strsep(&at, ",")))
        printf("<%s>", field);
    puts("");
    return 0;
}
