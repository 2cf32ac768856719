#include <stdio.h>
#include <string.h>

int main(void) {
    char composite[200];
    memset(composite, 0, sizeof composite);
    for (int i = 2; i * i < 200; i++)
        if (!composite[i])
            for (int j = i * i; j < 200; j += i)
                composite[j] = 1;
    int count = 0;
    for (int i = 2; i < 200; i++)
        if (!composite[i]) {
            printf("%d ", i);
            count++;
        }
    printf("\n%d\n", count);
    return 0;
}
