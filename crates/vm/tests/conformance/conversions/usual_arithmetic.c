#include <stdio.h>

#define KIND(e)                                                                        \
    _Generic((e), int: "int", unsigned: "unsigned", long: "long", unsigned long: "ulong", \
             long long: "llong", float: "float", double: "double", default: "other")

int main(void) {
    char c = 1;
    short s = 1;
    unsigned short us = 1;
    int i = 1;
    unsigned u = 1;
    long l = 1;
    unsigned long ul = 1;
    float f = 1;
    double d = 1;
    printf("%s %s %s\n", KIND(c + c), KIND(s + us), KIND(us + us));
    printf("%s %s %s\n", KIND(i + u), KIND(u + l), KIND(l + ul));
    printf("%s %s %s\n", KIND(i + f), KIND(f + d), KIND(ul + f));
    printf("%s %s %s\n", KIND(c << l), KIND(-us), KIND(~c));
    printf("%s %s\n", KIND(1 ? c : u), KIND(i == l));
    printf("%s %s\n", KIND('a'), KIND(sizeof i));
    return 0;
}
