#include <pthread.h>
#include <stdio.h>

struct range {
    int low, high;
    long sum;
};

static void *add(void *argument) {
    struct range *r = argument;
    if (r->high - r->low <= 4) {
        for (int i = r->low; i < r->high; i++)
            r->sum += i;
        return r;
    }
    int middle = (r->low + r->high) / 2;
    struct range left = {r->low, middle, 0}, right = {middle, r->high, 0};
    pthread_t thread;
    pthread_create(&thread, NULL, add, &left);
    add(&right);
    pthread_join(thread, NULL);
    r->sum = left.sum + right.sum;
    return r;
}

int main(void) {
    struct range all = {0, 20, 0};
    add(&all);
    printf("%ld\n", all.sum);
    return 0;
}
