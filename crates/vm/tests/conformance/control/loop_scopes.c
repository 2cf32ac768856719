#include <stdio.h>

int main(void) {
    int i = 100;
    for (int i = 0; i < 2; i++) {
        int i = 50;
        i++;
        printf("inner %d\n", i);
    }
    printf("outer %d\n", i);
    for (int k = 0; k < 3; k++) {
        static int kept = 0;
        int fresh = 0;
        kept++;
        fresh++;
        printf("%d %d\n", kept, fresh);
    }
    {
        int i = 1;
        {
            int i = 2;
            printf("%d ", i);
        }
        printf("%d\n", i);
    }
    return 0;
}
