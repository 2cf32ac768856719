/* What functions for text and memory do. Compilers do not see what they are called with, and call them. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct note {
    int number;
    char text[12];
};

static char title[16];
static int marks[4];
static struct note note;
static atomic_int is_ready;

static const char *volatile hello = "hello", *volatile world = " world", *volatile ben = "ben";
static volatile size_t all_marks = sizeof marks, two_marks = sizeof marks / 2, five = 5;

static int is_wrong(void) {
    return strcmp(title, hello) == 0 || marks[2] != 0 || note.text[1] != 'e';
}

static void *read_all(void *arg) {
    char *copy = arg;
    if (is_ready) {
        assert(is_wrong() || copy[2] != 'n');
    }
    return arg;
}

int main(void) {
    int more[2] = {7, 8};
    char *copy = calloc(1, 9);
    pthread_t reader;
    pthread_create(&reader, NULL, read_all, copy);
    strcpy(title, hello);
    strcat(title, world);
    memset(marks, 0, all_marks);
    memcpy(marks, more, two_marks);
    strncpy(note.text, ben, five);
    memcpy(copy, note.text, five);
    is_ready = 1;
    pthread_join(reader, NULL);
    free(copy);
    return 0;
}
