// expect: exited 0
// output: abc 3
// flags: -fno-builtin
// A program with functions of the C library's names: what the runtime needs for itself does not
// come by them.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void *memcpy(void *to, const void *from, size_t n) {
    for (size_t i = 0; i < n; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int value, size_t n) {
    for (size_t i = 0; i < n; i++) ((volatile char *)to)[i] = value;
    return to;
}

size_t strlen(const char *text) {
    size_t n = 0;
    while (((const volatile char *)text)[n]) n++;
    return n;
}

static void *work(void *argument) {
    for (int i = 0; i < 5000; i++) {
        void *volatile block = malloc(40);
        free(block);
    }
    return argument;
}

int main(void) {
    pthread_t threads[2];
    char text[4];
    for (int i = 0; i < 2; i++) assert(pthread_create(&threads[i], 0, work, 0) == 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    memcpy(text, "abc", sizeof text);
    printf("%s %d\n", text, (int)strlen(text));
    return 0;
}
