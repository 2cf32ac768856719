/* Mathematics: the machine's functions on double, and variants of them for float and long double.
   Errors are told by values only: errno stays as it is. */
#include "internal.h"
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

#define VARIANTS_1(name)                                  \
    float name##f(float x) { return (float)name(x); }     \
    long double name##l(long double x) { return name((double)x); }
#define VARIANTS_2(name)                                               \
    float name##f(float x, float y) { return (float)name(x, y); }      \
    long double name##l(long double x, long double y) { return name((double)x, (double)y); }
#define MACHINE_1(name)                                        \
    double name(double x) { return __raddle_math_##name(x); }  \
    VARIANTS_1(name)
#define MACHINE_2(name)                                                     \
    double name(double x, double y) { return __raddle_math_##name(x, y); }  \
    VARIANTS_2(name)

MACHINE_1(sin)
MACHINE_1(cos)
MACHINE_1(tan)
MACHINE_1(asin)
MACHINE_1(acos)
MACHINE_1(atan)
MACHINE_1(sinh)
MACHINE_1(cosh)
MACHINE_1(tanh)
MACHINE_1(asinh)
MACHINE_1(acosh)
MACHINE_1(atanh)
MACHINE_1(exp)
MACHINE_1(exp2)
MACHINE_1(expm1)
MACHINE_1(log)
MACHINE_1(log2)
MACHINE_1(log10)
MACHINE_1(log1p)
MACHINE_1(sqrt)
MACHINE_1(cbrt)
MACHINE_1(floor)
MACHINE_1(ceil)
MACHINE_1(trunc)
MACHINE_1(round)
MACHINE_1(rint)
MACHINE_2(pow)
MACHINE_2(atan2)
MACHINE_2(fmod)
MACHINE_2(remainder)
MACHINE_2(hypot)

union double_bits {
    double value;
    uint64_t bits;
};

#define SIGN 0x8000000000000000ULL
#define FRACTION 0x000fffffffffffffULL
#define INFINITE (double_of(0x7ff0000000000000ULL))

static uint64_t bits_of(double x) {
    union double_bits u = {x};
    return u.bits;
}

static double double_of(uint64_t bits) {
    union double_bits u;
    u.bits = bits;
    return u.value;
}

static int exponent_of(double x) {
    return (int)(bits_of(x) >> 52 & 0x7ff);
}

int __signbit(double x) {
    return (bits_of(x) & SIGN) != 0;
}

int __fpclassify(double x) {
    int exponent = exponent_of(x);
    _Bool fraction = (bits_of(x) & FRACTION) != 0;
    if (exponent == 0x7ff)
        return fraction ? FP_NAN : FP_INFINITE;
    if (exponent == 0)
        return fraction ? FP_SUBNORMAL : FP_ZERO;
    return FP_NORMAL;
}

int __fpclassifyf(float x) {
    int class = __fpclassify(x);
    float magnitude = x < 0 ? -x : x;
    return class == FP_NORMAL && magnitude < __FLT_MIN__ ? FP_SUBNORMAL : class;
}

int __isnan(double x) {
    return x != x;
}

int __isinf(double x) {
    return (bits_of(x) & ~SIGN) == 0x7ff0000000000000ULL ? (__signbit(x) ? -1 : 1) : 0;
}

int __finite(double x) {
    return exponent_of(x) != 0x7ff;
}

int finite(double x) {
    return __finite(x);
}

/* What gcc's builtins of these names come to. */
#undef isnan
#undef isinf
#undef isfinite
#undef isnormal
#undef signbit
#undef fpclassify
#undef isgreater
#undef isgreaterequal
#undef isless
#undef islessequal
#undef islessgreater
#undef isunordered
int isnan(double x) { return x != x; }
int isnanf(float x) { return x != x; }
int isinf(double x) { return __isinf(x); }
int isinff(float x) { return __isinf(x); }
int isinf_sign(double x) { return __isinf(x); }
int isfinite(double x) { return __finite(x); }
int isnormal(double x) { return __fpclassify(x) == FP_NORMAL; }
int signbit(double x) { return __signbit(x); }
int signbitf(float x) { return __signbit(x); }
int signbitl(long double x) { return __signbit((double)x); }
int isgreater(double x, double y) { return x > y; }
int isgreaterequal(double x, double y) { return x >= y; }
int isless(double x, double y) { return x < y; }
int islessequal(double x, double y) { return x <= y; }
int islessgreater(double x, double y) { return x < y || x > y; }
int isunordered(double x, double y) { return x != x || y != y; }

int fpclassify(int nan, int infinite, int normal, int subnormal, int zero, double x) {
    switch (__fpclassify(x)) {
    case FP_NAN:
        return nan;
    case FP_INFINITE:
        return infinite;
    case FP_SUBNORMAL:
        return subnormal;
    case FP_ZERO:
        return zero;
    default:
        return normal;
    }
}

double inf(void) { return INFINITE; }
float inff(void) { return (float)INFINITE; }
long double infl(void) { return INFINITE; }
double huge_val(void) { return INFINITE; }
float huge_valf(void) { return (float)INFINITE; }
long double huge_vall(void) { return INFINITE; }

double nan(const char *tag) {
    return double_of(0x7ff8000000000000ULL);
}

float nanf(const char *tag) {
    return (float)nan(tag);
}

long double nanl(const char *tag) {
    return nan(tag);
}

double fabs(double x) {
    return double_of(bits_of(x) & ~SIGN);
}
VARIANTS_1(fabs)

double copysign(double x, double y) {
    return double_of((bits_of(x) & ~SIGN) | (bits_of(y) & SIGN));
}
VARIANTS_2(copysign)

double exp10(double x) {
    return pow(10, x);
}
VARIANTS_1(exp10)

double nearbyint(double x) {
    return rint(x);
}
VARIANTS_1(nearbyint)

double fmin(double x, double y) {
    if (x != x)
        return y;
    return y < x || (x == y && __signbit(y)) ? y : x;
}
VARIANTS_2(fmin)

double fmax(double x, double y) {
    if (x != x)
        return y;
    return y > x || (x == y && __signbit(x)) ? y : x;
}
VARIANTS_2(fmax)

double fdim(double x, double y) {
    return x != x || y != y ? x + y : x > y ? x - y : 0;
}
VARIANTS_2(fdim)

double frexp(double x, int *exponent) {
    int biased = exponent_of(x);
    *exponent = 0;
    if (x == 0 || biased == 0x7ff)
        return x;
    if (biased == 0) { /* subnormal: make it normal first */
        x = frexp(x * 0x1p54, exponent);
        *exponent -= 54;
        return x;
    }
    *exponent = biased - 1022;
    return double_of((bits_of(x) & (SIGN | FRACTION)) | 0x3fe0000000000000ULL);
}

double scalbn(double x, int n) {
    int exponent;
    uint64_t bits = bits_of(frexp(x, &exponent)) & (SIGN | FRACTION);
    long long total = (long long)exponent + n;
    if (x == 0 || !__finite(x))
        return x;
    if (total > 1024)
        return copysign(INFINITE, x);
    if (total < -1080)
        return copysign(0, x);
    if (total >= -1021)
        return double_of(bits | (uint64_t)(total + 1022) << 52);
    return double_of(bits | (uint64_t)(total + 64 + 1022) << 52) * 0x1p-64;
}

double scalbln(double x, long n) {
    return scalbn(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n);
}

double ldexp(double x, int n) {
    return scalbn(x, n);
}

float scalbnf(float x, int n) {
    return (float)scalbn(x, n);
}

float ldexpf(float x, int n) {
    return (float)scalbn(x, n);
}

long double ldexpl(long double x, int n) {
    return scalbn((double)x, n);
}

float frexpf(float x, int *exponent) {
    return (float)frexp(x, exponent);
}

long double frexpl(long double x, int *exponent) {
    return frexp((double)x, exponent);
}

double modf(double x, double *whole) {
    *whole = trunc(x);
    return copysign(__isinf(x) ? 0 : x - *whole, x);
}

float modff(float x, float *whole) {
    *whole = truncf(x);
    return (float)copysign(__isinf(x) ? 0 : x - *whole, x);
}

long double modfl(long double x, long double *whole) {
    double part;
    double fraction = modf((double)x, &part);
    *whole = part;
    return fraction;
}

int ilogb(double x) {
    int exponent;
    if (x == 0 || x != x)
        return FP_ILOGB0;
    if (!__finite(x))
        return INT_MAX;
    frexp(x, &exponent);
    return exponent - 1;
}

int ilogbf(float x) {
    return ilogb(x);
}

double logb(double x) {
    if (x == 0)
        return -INFINITE;
    return __finite(x) ? ilogb(x) : x * x;
}
VARIANTS_1(logb)

double nextafter(double x, double y) {
    uint64_t bits = bits_of(x);
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return copysign(double_of(1), y);
    return double_of((x < y) == (x > 0) ? bits + 1 : bits - 1);
}

long double nextafterl(long double x, long double y) {
    return nextafter((double)x, (double)y);
}

float nextafterf(float x, float y) {
    union {
        float value;
        uint32_t bits;
    } u = {x};
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0) {
        u.bits = 1;
        return y < 0 ? -u.value : u.value;
    }
    u.bits += (x < y) == (x > 0) ? 1 : -1;
    return u.value;
}

long lround(double x) { return (long)round(x); }
long lroundf(float x) { return (long)round(x); }
long lroundl(long double x) { return (long)round((double)x); }
long long llround(double x) { return (long long)round(x); }
long long llroundf(float x) { return (long long)round(x); }
long long llroundl(long double x) { return (long long)round((double)x); }
long lrint(double x) { return (long)rint(x); }
long lrintf(float x) { return (long)rint(x); }
long lrintl(long double x) { return (long)rint((double)x); }
long long llrint(double x) { return (long long)rint(x); }
long long llrintf(float x) { return (long long)rint(x); }
long long llrintl(long double x) { return (long long)rint((double)x); }

void sincos(double x, double *sine, double *cosine) {
    *sine = sin(x);
    *cosine = cos(x);
}

int fegetround(void) { return FE_TONEAREST; }
int fesetround(int mode) { return mode == FE_TONEAREST ? 0 : 1; }
int feclearexcept(int exceptions) { return 0; }
int fetestexcept(int exceptions) { return 0; }
int feraiseexcept(int exceptions) { return 0; }
