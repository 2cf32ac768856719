#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char line[16], *grown = NULL;
    size_t room = 0;
    int n = 5;
    printf("%d\n", getchar() == EOF);
    printf("%d\n", feof(stdin) != 0);
    printf("%d\n", fgets(line, sizeof line, stdin) == NULL);
    printf("%d\n", scanf("%d", &n) == EOF);
    printf("%d\n", (int)getline(&grown, &room, stdin));
    printf("%zu %d\n", fread(line, 1, sizeof line, stdin), n);
    free(grown);
    clearerr(stdin);
    printf("%d\n", ungetc('u', stdin) == 'u' && getchar() == 'u');
    return 0;
}
