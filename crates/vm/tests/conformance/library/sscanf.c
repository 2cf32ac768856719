#include <stdio.h>

int main(void) {
    int a, b, n;
    char word[16], c, rest[16];
    double d;
    float f;
    long l;
    unsigned x;
    printf("%d ", sscanf("12 -34", "%d%d", &a, &b));
    printf("%d %d\n", a, b);
    printf("%d ", sscanf("name=value", "%[a-z]=%s", word, rest));
    printf("%s %s\n", word, rest);
    printf("%d ", sscanf("3.5 1e2", "%lf %f", &d, &f));
    printf("%g %g\n", d, f);
    printf("%d ", sscanf("ff 0x10 077", "%x %i %o", &x, &a, (unsigned *)&b));
    printf("%u %d %d\n", x, a, b);
    printf("%d ", sscanf("12345", "%2d%c%n", &a, &c, &n));
    printf("%d %c %d\n", a, c, n);
    printf("%d ", sscanf("123456789012", "%ld", &l));
    printf("%ld\n", l);
    printf("%d %d\n", sscanf("", "%d", &a), sscanf("x", "%d", &a));
    printf("%d ", sscanf("1,2", "%d , %*d", &a));
    printf("%d\n", a);
    printf("%d ", sscanf("abc def", "%*s %3s", word));
    printf("%s\n", word);
    printf("%d ", sscanf("100%", "%d%%", &a));
    printf("%d\n", a);
    return 0;
}
