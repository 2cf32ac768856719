#include <stdio.h>

static int run(const unsigned char *code) {
    static const void *const table[] = {&&halt, &&push, &&add, &&mul, &&print};
    int stack[16], top = 0;
    goto *table[*code++];
push:
    stack[top++] = *code++;
    goto *table[*code++];
add:
    top--;
    stack[top - 1] += stack[top];
    goto *table[*code++];
mul:
    top--;
    stack[top - 1] *= stack[top];
    goto *table[*code++];
print:
    printf("%d\n", stack[top - 1]);
    goto *table[*code++];
halt:
    return stack[top - 1];
}

int main(void) {
    const unsigned char code[] = {1, 6, 1, 7, 3, 4, 1, 8, 2, 4, 0};
    return run(code);
}
