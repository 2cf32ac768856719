#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    printf("%d %ld %lld\n", abs(-5), labs(-5000000000L), llabs(-7LL));
    div_t d = div(-17, 5);
    ldiv_t l = ldiv(17L, -5L);
    lldiv_t ll = lldiv(100000000000LL, 7);
    printf("%d %d %ld %ld %lld %lld\n", d.quot, d.rem, l.quot, l.rem, ll.quot, ll.rem);
    printf("%" PRId64 " %" PRIu32 " %" PRIx16 "\n", INT64_C(-5), UINT32_C(7), (uint16_t)0xabc);
    printf("%" PRIdMAX " %" PRIuPTR "\n", imaxabs(-3), (uintptr_t)12);
    printf("%jd\n", strtoimax("-77", NULL, 10));
    return 0;
}
