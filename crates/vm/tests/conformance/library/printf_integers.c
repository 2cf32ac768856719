#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42, 42);
    printf("[%.3d] [%8.3d] [%-8.3d] [%+.5d] [%08.3d]\n", 7, 7, 7, 7, 7);
    printf("[%d] [%ld] [%lld]\n", INT_MIN, LONG_MIN, LLONG_MIN);
    printf("[%u] [%lu] [%x] [%X] [%o]\n", UINT_MAX, ULONG_MAX, 0xbeefu, 0xbeefu, 0777u);
    printf("[%#x] [%#o] [%#x] [%#08x] [%#.4x]\n", 255u, 8u, 0u, 255u, 255u);
    printf("[%hhd] [%hd] [%hhu] [%hu]\n", (char)300, (short)70000, (unsigned char)300,
           (unsigned short)70000);
    printf("[%zu] [%td] [%jd]\n", (size_t)9, (ptrdiff_t)-9, (intmax_t)-99);
    printf("[%*d] [%-*d] [%.*d] [%*d]\n", 6, 1, 6, 2, 4, 3, -6, 4);
    printf("[%.0d] [%5.0d] [%d%%]\n", 0, 0, 50);
    return 0;
}
