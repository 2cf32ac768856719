#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const char *inputs[] = {"0",    "1.5", "-2.25e3x", "  .5", "5.", "1e", "0x1.8p1", "inf",
                            "-nan", "abc", "",         "1e400", "1e-400", "+7e+2"};
    for (unsigned i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        char *end;
        errno = 0;
        double d = strtod(inputs[i], &end);
        if (d == d)
            printf("%g", d);
        else
            printf("not a number");
        printf(" [%s] %d\n", end, errno == ERANGE);
    }
    printf("%g %g\n", atof("2.75"), (double)strtof("0.1", NULL));
    return 0;
}
