#include <ctype.h>
#include <stdio.h>

int main(void) {
    for (int c = 0; c < 128; c++)
        printf("%d%d%d%d%d%d%d%d%d%d%d %d %d\n", !!isalnum(c), !!isalpha(c), !!iscntrl(c),
               !!isdigit(c), !!isgraph(c), !!islower(c), !!isprint(c), !!ispunct(c), !!isspace(c),
               !!isupper(c), !!isxdigit(c), tolower(c), toupper(c));
    printf("%d %d\n", isalpha(EOF) != 0, toupper(EOF));
    return 0;
}
