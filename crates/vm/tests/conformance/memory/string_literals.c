#include <stdio.h>
#include <string.h>

static const char *const words[] = {"alpha", "beta", "gamma", NULL};

int main(void) {
    char copy[] = "modifiable";
    copy[0] = 'M';
    puts(copy);
    const char *p = "pointer";
    printf("%c %s\n", *p, p + 3);
    for (const char *const *w = words; *w; w++)
        printf("%s:%zu ", *w, strlen(*w));
    puts("");
    char exact[3] = "abc";
    printf("%.3s %zu\n", exact, sizeof exact);
    char padded[8] = "ab";
    int zeros = 0;
    for (int i = 0; i < 8; i++)
        zeros += padded[i] == 0;
    printf("%d %c\n", zeros, "indexed"[2]);
    return 0;
}
