#include <stdio.h>
#include <unistd.h>

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    puts("puts");
    putchar('c');
    putc('\n', stdout);
    fputs("fputs\n", stdout);
    fputc('f', stdout);
    fputc('\n', stdout);
    printf("%zu\n", fwrite("block\n", 2, 3, stdout));
    fprintf(stdout, "%s\n", "fprintf");
    fflush(stdout);
    printf("%d\n", (int)write(STDOUT_FILENO, "write\n", 6));
    dprintf(1, "%d\n", 12);
    fprintf(stderr, "not compared\n");
    printf("%d %d %d\n", fileno(stdin), fileno(stdout), fileno(stderr));
    printf("%d %d\n", ferror(stdout), feof(stdin));
    return 0;
}
