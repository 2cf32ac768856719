/* assert: may be included again after NDEBUG has changed. */
#undef assert
#undef assert_perror
#ifdef NDEBUG
#define assert(e) ((void)0)
#define assert_perror(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __func__))
#define assert_perror(e) \
    (!(e) ? (void)0 : __assert_perror_fail((e), __FILE__, __LINE__, __func__))
#endif
#ifndef RADDLE_ASSERT_H
#define RADDLE_ASSERT_H
#if !defined __cplusplus && __STDC_VERSION__ < 202311L
#define static_assert _Static_assert
#endif
extern void __assert_fail(const char *expression, const char *file, unsigned line,
                          const char *function) __attribute__((__noreturn__));
extern void __assert_perror_fail(int error, const char *file, unsigned line, const char *function)
    __attribute__((__noreturn__));
extern void __assert(const char *expression, const char *file, int line)
    __attribute__((__noreturn__));
#endif
