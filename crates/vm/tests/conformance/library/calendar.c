#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>

int main(void) {
    time_t times[] = {0, 86399, 951782400, 951868800, 1704067200, 4102444799, -1};
    for (unsigned i = 0; i < sizeof times / sizeof times[0]; i++) {
        struct tm tm;
        char text[64];
        gmtime_r(&times[i], &tm);
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %a %b %j %U %u", &tm);
        printf("%s %d\n", text, timegm(&tm) == times[i]);
    }
    struct tm tm = {.tm_year = 124, .tm_mon = 13, .tm_mday = 31, .tm_hour = 25};
    time_t t = timegm(&tm);
    printf("%ld %d %d %d %d\n", (long)t, tm.tm_year, tm.tm_mon, tm.tm_mday, tm.tm_wday);
    printf("%g\n", difftime(100, 40));
    printf("%s", asctime(&tm));
    return 0;
}
