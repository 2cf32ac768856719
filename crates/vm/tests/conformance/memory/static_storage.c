#include <stdio.h>

int zero;
static int array[5];
int initialised = 3;
static int *pointer = &initialised;
static int *into = &array[2];
static const char *text = "text" + 1;
static double value = 1.0 / 4;
static int folded = (3 + 4) * 2 - sizeof(int);
extern int later;

static int counter(void) {
    static int count = 10;
    return count++;
}

int main(void) {
    printf("%d %d %d\n", zero, array[4], *pointer);
    *into = 8;
    printf("%d %s %g %d %d\n", array[2], text, value, folded, later);
    counter();
    counter();
    printf("%d\n", counter());
    return 0;
}

int later = 77;
