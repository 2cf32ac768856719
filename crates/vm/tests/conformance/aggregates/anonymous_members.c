#include <stddef.h>
#include <stdio.h>

struct vector {
    union {
        struct {
            float x, y, z;
        };
        float v[3];
    };
    struct {
        int id;
        union {
            char letter;
            int code;
        };
    };
};

int main(void) {
    struct vector a = {.x = 1, .z = 3, .id = 4, .code = 'k'};
    a.v[1] = 2;
    printf("%g %g %g %d %c\n", a.x, a.y, a.v[2], a.id, a.letter);
    printf("%zu %zu %zu\n", offsetof(struct vector, y), offsetof(struct vector, id),
           sizeof(struct vector));
    struct vector *p = &a;
    p->letter = 'm';
    printf("%d\n", p->code);
    return 0;
}
