#include <stdio.h>
#include <string.h>

/* Units that no machine word matches: three, five, six, seven and nine bytes. */
struct three { int x : 20; } __attribute__((packed));
struct five { char c; long x : 30; } __attribute__((packed));
struct seven { unsigned char c : 3; unsigned long x : 50; } __attribute__((packed));
struct nine { unsigned char c : 5; long x : 64; unsigned char d : 3; } __attribute__((packed));
struct mixed { char c; int x : 17; char d; short y : 9; long z : 41; } __attribute__((packed));

static struct three three = {-300000};
static struct five five = {7, -400000000};
static struct seven seven = {5, 0x2badcafef00d1};
static struct nine nine = {21, -0x123456789abcdefl, 6};
static struct mixed mixed = {1, -60000, 2, -200, -900000000000};

#define BYTES(object)                                       \
    for (unsigned i = 0; i < sizeof(object); i++)           \
        printf(" %02x", ((unsigned char *)&(object))[i]);   \
    putchar('\n')

int main(void) {
    printf("%zu %zu %zu %zu %zu\n", sizeof three, sizeof five, sizeof seven, sizeof nine,
           sizeof mixed);
    printf("%d %d %d %d %lu\n", three.x, five.c, (int)five.x, seven.c, (unsigned long)seven.x);
    printf("%d %ld %d\n", nine.c, (long)nine.x, nine.d);
    printf("%d %d %d %d %ld\n", mixed.c, mixed.x, mixed.d, mixed.y, (long)mixed.z);
    BYTES(three);
    BYTES(seven);
    BYTES(nine);
    BYTES(mixed);
    printf("%d\n", three.x = 0x12345678);
    three.x += 1000000;
    seven.x *= 3;
    nine.x = ~nine.x;
    nine.c++;
    mixed.x ^= 0x1ffff;
    mixed.z /= 3;
    mixed.y--;
    struct mixed copy[2] = {mixed, {.z = 5, .x = 3}};
    copy[1].z -= 12;
    BYTES(three);
    BYTES(seven);
    BYTES(nine);
    BYTES(copy[0]);
    BYTES(copy[1]);
    return 0;
}
