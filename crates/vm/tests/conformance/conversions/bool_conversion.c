#include <stdio.h>

int main(void) {
    _Bool values[] = {0, 1, 2, -1, 0.5, 1e-300, 'a', (_Bool) "x", !!0};
    for (unsigned i = 0; i < sizeof values; i++)
        printf("%d ", values[i]);
    puts("");
    int n = 256;
    _Bool b = n;
    char c = n;
    printf("%d %d\n", b, c);
    struct {
        _Bool flag : 1;
    } s;
    s.flag = 2;
    printf("%d\n", s.flag);
    int *p = 0;
    b = p;
    printf("%d\n", b);
    b = 3 > 2;
    printf("%d\n", b + b);
    return 0;
}
