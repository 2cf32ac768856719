#include <stdio.h>

int main(void) {
    printf("%d %d %d %d\n", 10, 010, 0x10, 0b1010);
    printf("%u %ld %lu %lld %llu\n", 10u, 10l, 10ul, 10ll, 10ull);
    printf("%d %d %d %d\n", 'a', '\n', '\0', '\x41');
    printf("%d %d\n", '\101', '\377');
    printf("%d\n", 'ab' == 'a' * 256 + 'b');
    printf("%g %g %g %g\n", 1., .5, 1e3, 0x1.8p3);
    printf("%zu %zu %zu\n", sizeof 2147483647, sizeof 2147483648, sizeof 0xffffffff);
    printf("%s\n", "one" " two" " three");
    printf("%zu\n", sizeof "a\0b");
    printf("tab[\t] quote[\"] backslash[\\] hex[\x21] octal[\041]\n");
    printf("%zu %zu\n", sizeof 1.0f, sizeof 1.0);
    return 0;
}
