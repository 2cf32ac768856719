#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    printf("%d %d %d %d %d\n", CHAR_BIT, SCHAR_MIN, SCHAR_MAX, CHAR_MIN, UCHAR_MAX);
    printf("%d %d %d %d %d %u\n", SHRT_MIN, SHRT_MAX, USHRT_MAX, INT_MIN, INT_MAX, UINT_MAX);
    printf("%ld %ld %lu\n", LONG_MIN, LONG_MAX, ULONG_MAX);
    printf("%lld %llu\n", LLONG_MIN, ULLONG_MAX);
    printf("%ld %lu %lu\n", (long)INT64_MIN, (unsigned long)UINT64_MAX, (unsigned long)SIZE_MAX);
    printf("%d %d %d %d\n", INT8_MIN, UINT8_MAX, INT16_MAX, INT32_MIN);
    printf("%g %g %g %d %d\n", DBL_MAX, DBL_MIN, DBL_EPSILON, DBL_DIG, DBL_MANT_DIG);
    printf("%g %g %g %d\n", FLT_MAX, FLT_MIN, FLT_EPSILON, FLT_DIG);
    printf("%d %d %d\n", EXIT_SUCCESS, EXIT_FAILURE, RAND_MAX);
    return 0;
}
