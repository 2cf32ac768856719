// expect: use-after-free
// A pointer into a block that moved when it grew.
#include <stdlib.h>

int main(void) {
    int *numbers = malloc(4 * sizeof *numbers);
    int *first = &numbers[0];
    *first = 1;
    numbers = realloc(numbers, 4000 * sizeof *numbers);
    return numbers == 0 || *first;
}
