#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    unsigned length;
    char tag;
    char text[];
};

static struct message *make(const char *text) {
    size_t length = strlen(text);
    struct message *m = malloc(sizeof *m + length + 1);
    m->length = length;
    m->tag = 't';
    memcpy(m->text, text, length + 1);
    return m;
}

int main(void) {
    struct message *m = make("a flexible message");
    printf("%u %c %s\n", m->length, m->tag, m->text);
    printf("%zu %zu\n", sizeof *m, offsetof(struct message, text));
    m->text[2] = 'F';
    puts(m->text);
    free(m);
    return 0;
}
