#include <stdarg.h>
#include <stdio.h>

static void show(const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        if (*kinds == 'i')
            printf("%d ", va_arg(list, int));
        else if (*kinds == 'd')
            printf("%g ", va_arg(list, double));
        else if (*kinds == 'l')
            printf("%ld ", va_arg(list, long));
        else
            printf("%s ", va_arg(list, char *));
    }
    va_end(list);
    puts("");
}

int main(void) {
    char c = -1;
    unsigned char uc = 255;
    short s = -300;
    float f = 0.75f;
    _Bool b = 1;
    show("iiii", c, uc, s, b);
    show("dd", f, 2.5);
    show("lsi", 1L << 40, "text", 'x');
    show("idididididid", 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5);
    return 0;
}
