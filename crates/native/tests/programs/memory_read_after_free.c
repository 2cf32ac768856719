// expect: use-after-free
// The system reads a buffer that was freed.
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    char *buffer = calloc(1, 64);
    if (pipe(ends) != 0) return 1;
    free(buffer);
    return write(ends[1], buffer, 8) != 8;
}
