#include <stdio.h>

static const char *class(int c) {
    switch (c) {
    case '0' ... '9':
        return "digit";
    case 'a' ... 'z':
    case 'A' ... 'Z':
        return "letter";
    case -10 ... - 1:
        return "negative";
    case ' ':
        return "space";
    default:
        return "other";
    }
}

int main(void) {
    int inputs[] = {'0', '5', '9', 'a', 'q', 'z', 'A', 'Z', '@', '[', ' ', -1, -10, -11, 0};
    for (unsigned i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        printf("%d %s\n", inputs[i], class(inputs[i]));
    return 0;
}
