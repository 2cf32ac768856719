#include <stdio.h>

int main(void) {
    printf("[%s] [%10s] [%-10s] [%.2s] [%10.3s]\n", "hello", "hello", "hello", "hello", "hello");
    printf("[%c] [%3c] [%-3c]\n", 'x', 'y', 'z');
    printf("[%.*s] [%*s]\n", 3, "truncate", 8, "right");
    printf("[%s] [%.0s]\n", "", "nothing");
    printf("[%%] [%5s] [%-5s]\n", "%d", "%s");
    int n = 0;
    printf("12345%n67890\n", &n);
    printf("%d\n", n);
    printf("%d\n", printf("count me\n"));
    return 0;
}
