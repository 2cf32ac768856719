#include <stdio.h>
#include <string.h>

int main(void) {
    char a[11] = "0123456789";
    memmove(a + 2, a, 5);
    puts(a);
    memmove(a, a + 3, 6);
    puts(a);
    memcpy(a, "xyz", 3);
    puts(a);
    memset(a + 4, '#', 4);
    puts(a);
    int numbers[4];
    memset(numbers, 0xff, sizeof numbers);
    printf("%d\n", numbers[3]);
    struct {
        int n;
        double d;
    } s = {7, 2.5}, t;
    memcpy(&t, &s, sizeof s);
    printf("%d %g\n", t.n, t.d);
    printf("%d %d\n", memcmp("abc", "abd", 3) < 0, memcmp("abc", "abd", 2));
    return 0;
}
