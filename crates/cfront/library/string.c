/* Strings and blocks of bytes. */
#include "internal.h"
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    return __builtin_memcpy(to, from, count);
}

void *mempcpy(void *restrict to, const void *restrict from, size_t count) {
    return (char *)__builtin_memcpy(to, from, count) + count;
}

void *memmove(void *to, const void *from, size_t count) {
    return __builtin_memmove(to, from, count);
}

void *memset(void *to, int byte, size_t count) {
    return __builtin_memset(to, byte, count);
}

void *memccpy(void *restrict to, const void *restrict from, int stop, size_t count) {
    unsigned char *out = to;
    const unsigned char *in = from;
    for (size_t i = 0; i < count; i++) {
        out[i] = in[i];
        if (out[i] == (unsigned char)stop)
            return out + i + 1;
    }
    return 0;
}

int memcmp(const void *a, const void *b, size_t count) {
    const unsigned char *left = a;
    const unsigned char *right = b;
    for (size_t i = 0; i < count; i++) {
        unsigned char l = left[i], r = right[i];
        if (l != r)
            return l < r ? -1 : 1;
    }
    return 0;
}

void *memchr(const void *in, int byte, size_t count) {
    const unsigned char *at = in;
    for (; count--; at++)
        if (*at == (unsigned char)byte)
            return (void *)at;
    return 0;
}

void *rawmemchr(const void *in, int byte) {
    const unsigned char *at = in;
    while (*at != (unsigned char)byte)
        at++;
    return (void *)at;
}

void *memrchr(const void *in, int byte, size_t count) {
    const unsigned char *start = in;
    while (count--)
        if (start[count] == (unsigned char)byte)
            return (void *)(start + count);
    return 0;
}

void *memmem(const void *in, size_t n_in, const void *part, size_t n_part) {
    const char *start = in;
    for (size_t i = 0; n_part <= n_in && i <= n_in - n_part; i++)
        if (memcmp(start + i, part, n_part) == 0)
            return (void *)(start + i);
    return 0;
}

size_t strlen(const char *string) {
    size_t length = 0;
    while (string[length])
        length++;
    return length;
}

size_t strnlen(const char *string, size_t most) {
    size_t length = 0;
    while (length < most && string[length])
        length++;
    return length;
}

char *stpcpy(char *restrict to, const char *restrict from) {
    while ((*to = *from)) {
        to++;
        from++;
    }
    return to;
}

char *strcpy(char *restrict to, const char *restrict from) {
    stpcpy(to, from);
    return to;
}

char *stpncpy(char *restrict to, const char *restrict from, size_t count) {
    size_t length = strnlen(from, count);
    __builtin_memcpy(to, from, length);
    __builtin_memset(to + length, 0, count - length);
    return to + length;
}

char *strncpy(char *restrict to, const char *restrict from, size_t count) {
    stpncpy(to, from, count);
    return to;
}

char *strcat(char *restrict to, const char *restrict from) {
    stpcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t count) {
    char *end = to + strlen(to);
    size_t length = strnlen(from, count);
    __builtin_memcpy(end, from, length);
    end[length] = 0;
    return to;
}

size_t strlcpy(char *restrict to, const char *restrict from, size_t room) {
    size_t length = strlen(from);
    if (room) {
        size_t fits = length < room ? length : room - 1;
        __builtin_memcpy(to, from, fits);
        to[fits] = 0;
    }
    return length;
}

size_t strlcat(char *restrict to, const char *restrict from, size_t room) {
    size_t length = strnlen(to, room);
    return length + strlcpy(to + length, from, room - length);
}

int strcmp(const char *a, const char *b) {
    for (;; a++, b++) {
        unsigned char left = *a, right = *b;
        if (left != right)
            return left < right ? -1 : 1;
        if (!left)
            return 0;
    }
}

int strncmp(const char *a, const char *b, size_t count) {
    for (; count--; a++, b++) {
        unsigned char left = *a, right = *b;
        if (left != right)
            return left < right ? -1 : 1;
        if (!left)
            return 0;
    }
    return 0;
}

int strcoll(const char *a, const char *b) {
    return strcmp(a, b);
}

size_t strxfrm(char *restrict to, const char *restrict from, size_t room) {
    return strlcpy(to, from, room);
}

int strcasecmp(const char *a, const char *b) {
    return strncasecmp(a, b, (size_t)-1);
}

int strncasecmp(const char *a, const char *b, size_t count) {
    for (; count--; a++, b++) {
        int left = tolower((unsigned char)*a), right = tolower((unsigned char)*b);
        if (left != right)
            return left - right;
        if (!left)
            return 0;
    }
    return 0;
}

char *strchrnul(const char *string, int byte) {
    for (;; string++) {
        char c = *string;
        if (!c || c == (char)byte)
            return (char *)string;
    }
}

char *strchr(const char *string, int byte) {
    char *found = strchrnul(string, byte);
    return *found == (char)byte ? found : 0;
}

char *strrchr(const char *string, int byte) {
    return memrchr(string, byte, strlen(string) + 1);
}

char *index(const char *string, int byte) {
    return strchr(string, byte);
}

char *rindex(const char *string, int byte) {
    return strrchr(string, byte);
}

char *strstr(const char *string, const char *part) {
    size_t length = strlen(part);
    for (;; string++) {
        if (strncmp(string, part, length) == 0)
            return (char *)string;
        if (!*string)
            return 0;
    }
}

char *strcasestr(const char *string, const char *part) {
    size_t length = strlen(part);
    for (;; string++) {
        if (strncasecmp(string, part, length) == 0)
            return (char *)string;
        if (!*string)
            return 0;
    }
}

size_t strspn(const char *string, const char *set) {
    size_t length = 0;
    while (string[length] && strchr(set, string[length]))
        length++;
    return length;
}

size_t strcspn(const char *string, const char *set) {
    size_t length = 0;
    while (string[length] && !strchr(set, string[length]))
        length++;
    return length;
}

char *strpbrk(const char *string, const char *set) {
    string += strcspn(string, set);
    return *string ? (char *)string : 0;
}

char *strtok_r(char *restrict string, const char *restrict set, char **restrict rest) {
    char *end;
    if (!string)
        string = *rest;
    string += strspn(string, set);
    if (!*string) {
        *rest = string;
        return 0;
    }
    end = string + strcspn(string, set);
    if (*end)
        *end++ = 0;
    *rest = end;
    return string;
}

/* For .i files that glibc's optimising headers went through. */
char *__strtok_r(char *restrict string, const char *restrict set, char **restrict rest) {
    return strtok_r(string, set, rest);
}

static SHARED_STATE char *strtok_state;

char *strtok(char *restrict string, const char *restrict set) {
    char *rest = string ? string : strtok_state;
    if (!rest)
        return 0;
    string = strtok_r(rest, set, &rest);
    strtok_state = rest;
    return string;
}

char *strsep(char **restrict rest, const char *restrict set) {
    char *start = *rest;
    char *end;
    if (!start)
        return 0;
    end = start + strcspn(start, set);
    if (*end) {
        *end = 0;
        *rest = end + 1;
    } else
        *rest = 0;
    return start;
}

char *strndup(const char *string, size_t most) {
    size_t length = strnlen(string, most);
    char *copy = malloc(length + 1);
    if (copy) {
        __builtin_memcpy(copy, string, length);
        copy[length] = 0;
    }
    return copy;
}

char *strdup(const char *string) {
    size_t size = strlen(string) + 1;
    char *copy = malloc(size);
    if (copy)
        __builtin_memcpy(copy, string, size);
    return copy;
}

char *__strdup(const char *string) {
    return strdup(string);
}

void bzero(void *to, size_t count) {
    __builtin_memset(to, 0, count);
}

void explicit_bzero(void *to, size_t count) {
    __builtin_memset(to, 0, count);
}

void bcopy(const void *from, void *to, size_t count) {
    __builtin_memmove(to, from, count);
}

int bcmp(const void *a, const void *b, size_t count) {
    return memcmp(a, b, count);
}

int ffsll(long long n) {
    int bit = 1;
    if (!n)
        return 0;
    while (!(n & 1)) {
        n >>= 1;
        bit++;
    }
    return bit;
}

int ffsl(long n) {
    return ffsll(n);
}

int ffs(int n) {
    return ffsll(n);
}

#undef basename
char *basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return (char *)(slash ? slash + 1 : path);
}

static char *without_trailing_slashes(char *path) {
    char *end = path + strlen(path);
    while (end > path + 1 && end[-1] == '/')
        *--end = 0;
    return end;
}

char *__xpg_basename(char *path) {
    if (!path || !*path)
        return (char *)".";
    without_trailing_slashes(path);
    if (path[0] == '/' && !path[1])
        return path;
    return basename(path);
}

char *dirname(char *path) {
    char *slash;
    if (!path || !*path)
        return (char *)".";
    without_trailing_slashes(path);
    slash = strrchr(path, '/');
    if (!slash)
        return (char *)".";
    while (slash > path && slash[-1] == '/')
        slash--;
    if (slash == path)
        slash++;
    *slash = 0;
    return path;
}

size_t wcslen(const wchar_t *string) {
    size_t length = 0;
    while (string[length])
        length++;
    return length;
}

wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t count) {
    return __builtin_memcpy(to, from, count * sizeof(wchar_t));
}

wchar_t *wmemset(wchar_t *to, wchar_t wide, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = wide;
    return to;
}

wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from) {
    return wmemcpy(to, from, wcslen(from) + 1);
}

wchar_t *wcscat(wchar_t *restrict to, const wchar_t *restrict from) {
    wcscpy(to + wcslen(to), from);
    return to;
}

int wcsncmp(const wchar_t *a, const wchar_t *b, size_t count) {
    for (; count--; a++, b++) {
        if (*a != *b)
            return *a < *b ? -1 : 1;
        if (!*a)
            return 0;
    }
    return 0;
}

int wcscmp(const wchar_t *a, const wchar_t *b) {
    return wcsncmp(a, b, (size_t)-1);
}

wchar_t *wcschr(const wchar_t *string, wchar_t wide) {
    for (;; string++) {
        if (*string == wide)
            return (wchar_t *)string;
        if (!*string)
            return 0;
    }
}
