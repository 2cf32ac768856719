// expect: use-after-free
// flags: -std=c11
// An atomic counter that lies in memory that was freed.
#include <stdatomic.h>
#include <stdlib.h>

int main(void) {
    _Atomic int *counter = malloc(sizeof *counter);
    atomic_store(counter, 1);
    free((void *)counter);
    return atomic_fetch_add(counter, 1);
}
