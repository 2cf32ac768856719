/* The floating-point environment: rounding to nearest, no exceptions. */
#ifndef RADDLE_FENV_H
#define RADDLE_FENV_H
typedef struct {
    unsigned __flags;
} fenv_t;
typedef unsigned short fexcept_t;
#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#define FE_INEXACT 32
#define FE_ALL_EXCEPT 61
#define FE_TONEAREST 0
#define FE_DOWNWARD 0x400
#define FE_UPWARD 0x800
#define FE_TOWARDZERO 0xc00
int fegetround(void);
int fesetround(int);
int feclearexcept(int);
int fetestexcept(int);
int feraiseexcept(int);
#endif
