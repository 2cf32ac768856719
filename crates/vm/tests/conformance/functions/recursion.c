#include <stdio.h>

static int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int ackermann(int m, int n) {
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static void hanoi(int n, char from, char to, char via) {
    if (!n)
        return;
    hanoi(n - 1, from, via, to);
    printf("%c%c ", from, to);
    hanoi(n - 1, via, to, from);
}

static int is_odd(int n);
static int is_even(int n) {
    return n == 0 || is_odd(n - 1);
}
static int is_odd(int n) {
    return n != 0 && is_even(n - 1);
}

int main(void) {
    printf("%d %d\n", fibonacci(12), ackermann(2, 3));
    hanoi(3, 'a', 'c', 'b');
    printf("\n%d %d\n", is_even(10), is_odd(10));
    return 0;
}
