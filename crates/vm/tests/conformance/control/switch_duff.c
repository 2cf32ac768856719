#include <stdio.h>

static int copy(char *to, const char *from, int count) {
    int rounds = (count + 3) / 4, steps = 0;
    switch (count % 4) {
    case 0:
        do {
            *to++ = *from++;
            steps++;
        case 3:
            *to++ = *from++;
            steps++;
        case 2:
            *to++ = *from++;
            steps++;
        case 1:
            *to++ = *from++;
            steps++;
        } while (--rounds > 0);
    }
    return steps;
}

int main(void) {
    for (int n = 1; n < 11; n++) {
        char to[16] = {0};
        int steps = copy(to, "abcdefghijkl", n);
        printf("%d %s\n", steps, to);
    }
    return 0;
}
