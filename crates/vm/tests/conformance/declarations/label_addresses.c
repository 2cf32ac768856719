#include <stdio.h>

int main(void) {
    void *stages[] = {&&one, &&two, &&three, &&done};
    int at = 0;
    goto *stages[at];
one:
    puts("one");
    at++;
    goto *stages[at];
two:
    puts("two");
    goto *stages[2];
three:
    puts("three");
    if (at-- > 0)
        goto *stages[at + 1];
done:
    puts(&&one != &&two ? "different" : "same");
    return 0;
}
