#include <stdio.h>
#include <unistd.h>

int main(void) {
    char *argv[] = {"program", "-a", "-bvalue", "-c", "next", "-de", "--", "rest", NULL};
    int option;
    opterr = 0;
    while ((option = getopt(8, argv, "+ab:c:de")) != -1)
        printf("%c %s\n", option, option == 'b' || option == 'c' ? optarg : "-");
    printf("%d %s\n", optind, argv[optind]);
    return 0;
}
