#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    usleep(2000);
    struct timespec span = {0, 3000000};
    nanosleep(&span, NULL);
    clock_gettime(CLOCK_MONOTONIC, &b);
    long elapsed = (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec;
    printf("%d\n", elapsed >= 5000000L);
    struct timeval v;
    gettimeofday(&v, NULL);
    time_t now = time(NULL);
    printf("%d %d\n", v.tv_usec >= 0 && v.tv_usec < 1000000, now - v.tv_sec <= 1);
    printf("%d\n", clock_getres(CLOCK_REALTIME, &a));
    printf("%d\n", clock_gettime(99, &a));
    return 0;
}
