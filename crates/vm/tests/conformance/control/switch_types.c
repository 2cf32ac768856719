#include <stdio.h>

enum mode { IDLE, RUN, STOP };

int main(void) {
    unsigned char c = 255;
    switch (c) {
    case 255:
        puts("byte 255");
        break;
    default:
        puts("other");
    }
    long long big = 0x100000000LL;
    switch (big) {
    case 0:
        puts("truncated");
        break;
    case 0x100000000LL:
        puts("long case");
    }
    enum mode m = RUN;
    switch (m) {
    case IDLE:
        puts("idle");
        break;
    case RUN:
        puts("run");
        break;
    case STOP:
        puts("stop");
    }
    unsigned u = 4294967295u;
    switch (u) {
    case -1:
        puts("minus one");
        break;
    default:
        puts("no");
    }
    return 0;
}
