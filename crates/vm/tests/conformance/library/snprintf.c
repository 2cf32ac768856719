#include <stdio.h>
#include <string.h>

int main(void) {
    char buffer[8];
    int n = snprintf(buffer, sizeof buffer, "%s-%d", "abcdef", 12345);
    printf("%d [%s]\n", n, buffer);
    n = snprintf(NULL, 0, "%d", 123456);
    printf("%d\n", n);
    memset(buffer, '#', sizeof buffer);
    n = snprintf(buffer, 1, "xyz");
    printf("%d [%s] %c\n", n, buffer, buffer[1]);
    char joined[64];
    int length = 0;
    for (int i = 0; i < 5; i++)
        length += sprintf(joined + length, "%s%d", i ? "," : "", i * i);
    printf("%d %s\n", length, joined);
    return 0;
}
