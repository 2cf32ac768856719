#include <stdarg.h>
#include <stdio.h>

struct pair {
    int a, b;
};

struct big {
    long v[5];
};

static long walk(const char *kinds, ...) {
    va_list list;
    long total = 0;
    va_start(list, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'p': {
            struct pair p = va_arg(list, struct pair);
            total += p.a * 10 + p.b;
            break;
        }
        case 'b': {
            struct big b = va_arg(list, struct big);
            total += b.v[0] + b.v[4];
            break;
        }
        case '*':
            total += *va_arg(list, int *);
            break;
        default:
            total += va_arg(list, long long);
        }
    va_end(list);
    return total;
}

int main(void) {
    int n = 5;
    struct pair p = {1, 2};
    struct big b = {{100, 0, 0, 0, 200}};
    printf("%ld %ld %ld\n", walk("p", p), walk("b*", b, &n), walk("lpb*l", 7LL, p, b, &n, -1LL));
    return 0;
}
