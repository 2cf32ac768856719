#include <alloca.h>
#include <stdio.h>
#include <string.h>

static int sum_squares(int n) {
    int a[n];
    int sum = 0;
    for (int i = 0; i < n; i++)
        a[i] = i * i;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum + (int)(sizeof a / sizeof a[0]) * 0;
}

static char *repeat(char *to, char c, int n) {
    char *buffer = alloca(n + 1);
    memset(buffer, c, n);
    buffer[n] = 0;
    return strcpy(to, buffer);
}

int main(void) {
    char out[32];
    for (int i = 1; i < 20; i += 6)
        printf("%d %s\n", sum_squares(i), repeat(out, 'a' + i, i));
    return 0;
}
