#include <stdio.h>

static const char *grade(int points) {
    if (points >= 90)
        return "A";
    else if (points >= 80)
        return "B";
    else if (points >= 70)
        return "C";
    return "F";
}

int main(void) {
    for (int p = 65; p <= 95; p += 10)
        printf("%d %s\n", p, grade(p));
    int a = 1, b = 0;
    if (a)
        if (b)
            puts("both");
        else
            puts("only a");
    if (!a) {
    } else
        puts("else");
    if (a > 0 && b == 0) {
        puts("block");
    }
    return 0;
}
