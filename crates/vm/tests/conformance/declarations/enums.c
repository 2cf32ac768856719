#include <stdio.h>

enum { FIRST, SECOND, TENTH = 10, ELEVENTH, AGAIN = SECOND, NEXT };
enum level { LOW = 'a', MIDDLE = LOW + 2, HIGH = MIDDLE << 1 };
typedef enum { NO, YES } answer;

int main(void) {
    printf("%d %d %d %d %d %d\n", FIRST, SECOND, TENTH, ELEVENTH, AGAIN, NEXT);
    enum level l = HIGH;
    printf("%d %d %d\n", LOW, MIDDLE, l);
    answer a = YES;
    printf("%d\n", a == YES && !NO);
    enum { LOCAL = 3 };
    int array[LOCAL] = {1, 2, 3};
    printf("%d %zu\n", array[LOCAL - 1], sizeof array);
    {
        enum { LOCAL = 7 };
        printf("%d\n", LOCAL);
    }
    return LOCAL;
}
