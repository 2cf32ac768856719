#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int in_range = 1, first[5];
    srand(7);
    for (int i = 0; i < 5; i++)
        first[i] = rand();
    srand(7);
    int same = 1, different = 0;
    for (int i = 0; i < 5; i++) {
        int n = rand();
        same &= n == first[i];
        in_range &= n >= 0;
        different |= n != first[0];
    }
    printf("%d %d %d\n", same, in_range, different);
    unsigned state = 3;
    int r = rand_r(&state);
    unsigned again = 3;
    printf("%d %d\n", r == rand_r(&again), r >= 0);
    srandom(9);
    long l = random();
    printf("%d\n", l >= 0 && l <= RAND_MAX);
    double d = drand48();
    printf("%d\n", d >= 0 && d < 1);
    return 0;
}
