#ifndef RADDLE_WCHAR_H
#define RADDLE_WCHAR_H
#include <stddef.h>
typedef __WINT_TYPE__ wint_t;
typedef struct {
    int __count;
    unsigned __value;
} mbstate_t;
#define WEOF (0xffffffffu)
#ifndef WCHAR_MAX
#define WCHAR_MAX __WCHAR_MAX__
#define WCHAR_MIN (-WCHAR_MAX - 1)
#endif
size_t wcslen(const wchar_t *);
wchar_t *wcscpy(wchar_t *restrict, const wchar_t *restrict);
wchar_t *wcscat(wchar_t *restrict, const wchar_t *restrict);
int wcscmp(const wchar_t *, const wchar_t *);
int wcsncmp(const wchar_t *, const wchar_t *, size_t);
wchar_t *wcschr(const wchar_t *, wchar_t);
wchar_t *wmemcpy(wchar_t *restrict, const wchar_t *restrict, size_t);
wchar_t *wmemset(wchar_t *, wchar_t, size_t);
#endif
