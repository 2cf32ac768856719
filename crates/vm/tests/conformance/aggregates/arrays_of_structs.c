#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person {
    char name[12];
    int age;
};

static int by_age(const void *a, const void *b) {
    return ((const struct person *)a)->age - ((const struct person *)b)->age;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct person *)a)->name, ((const struct person *)b)->name);
}

int main(void) {
    struct person people[] = {{"Dora", 40}, {"Anton", 25}, {"Emil", 31}, {"Berta", 60}};
    int n = sizeof people / sizeof people[0];
    qsort(people, n, sizeof people[0], by_age);
    for (int i = 0; i < n; i++)
        printf("%s %d\n", people[i].name, people[i].age);
    qsort(people, n, sizeof people[0], by_name);
    for (struct person *p = people; p < people + n; p++)
        printf("%s ", p->name);
    puts("");
    return 0;
}
