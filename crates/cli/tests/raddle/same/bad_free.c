#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int skipped;

static void *parse(void *unused)
{
    char *text = malloc(8);
    int n = skipped;

    free(text + n);
    return unused;
}

int main(void)
{
    pthread_t parser;

    pthread_create(&parser, NULL, parse, NULL);
    skipped = 4;
    pthread_join(parser, NULL);
    return 0;
}
