#ifndef RADDLE_STDDEF_H
#define RADDLE_STDDEF_H
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __WCHAR_TYPE__ wchar_t;
typedef struct {
    long long __integer __attribute__((__aligned__(8)));
    double __floating __attribute__((__aligned__(16)));
} max_align_t;
#endif
/* The system's headers ask for single names by macros and include this file again. */
#ifdef __need_wint_t
typedef __WINT_TYPE__ wint_t;
#undef __need_wint_t
#endif
#undef __need_size_t
#undef __need_ptrdiff_t
#undef __need_wchar_t
#undef __need_NULL
#undef NULL
#define NULL ((void *)0)
#undef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
