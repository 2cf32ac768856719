#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const char *inputs[] = {"0",     "42",    "-42",  "  +7rest", "0x1f",  "077", "1e5",
                            "",      "abc",   "zz",   "0x",       "- 5",   "9223372036854775807",
                            "9223372036854775808", "-9223372036854775809"};
    int bases[] = {0, 10, 16, 36};
    for (unsigned i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        for (int b = 0; b < 4; b++) {
            char *end;
            errno = 0;
            long n = strtol(inputs[i], &end, bases[b]);
            printf("%ld [%s] %d\n", n, end, errno == ERANGE);
        }
    printf("%lu %lu\n", strtoul("-1", NULL, 10), strtoul("0xffffffff", NULL, 0));
    printf("%d %ld %lld\n", atoi("-12x"), atol("345"), atoll("-9000000000"));
    return 0;
}
