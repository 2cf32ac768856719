#include <stdio.h>

int main(void) {
    int n = 0;
again:
    n++;
    if (n < 3)
        goto again;
    printf("%d\n", n);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            if (i * j == 6) {
                printf("found %d %d\n", i, j);
                goto out;
            }
out:
    if (n == 3)
        goto inside;
    puts("skipped");
    {
    inside:
        puts("inside");
    }
    goto end;
    puts("never");
end:
    return n - 3;
}
