/* printf's conversions, as C11 and POSIX describe them; numbered arguments (%1$d) are refused. */
#include "internal.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum length { SHORTEST, SHORT, PLAIN, LONG, LONGEST, SIZE, DIFFERENCE, WIDEST, LONG_DOUBLE };

struct conversion {
    _Bool left;
    _Bool plus;
    _Bool space;
    _Bool alternate;
    _Bool zero;
    int width;
    int precision; /* negative: none */
    enum length length;
    char letter;
};

static void grow(struct __raddle_lib_sink *sink, size_t more) {
    size_t room = 2 * sink->room + more;
    char *bytes = __raddle_malloc(room, 1);
    if (!bytes)
        __raddle_unsupported("printf without memory for its output");
    __builtin_memcpy(bytes, sink->bytes, sink->length);
    if (sink->on_heap)
        __raddle_free(sink->bytes);
    sink->bytes = bytes;
    sink->room = room;
    sink->on_heap = 1;
}

/* How much of so many bytes fits, after growing if that is possible. */
static size_t fitting(struct __raddle_lib_sink *sink, size_t count) {
    if (sink->grows && sink->length + count > sink->room)
        grow(sink, count);
    if (sink->length >= sink->room)
        return 0;
    return count < sink->room - sink->length ? count : sink->room - sink->length;
}

static void put(struct __raddle_lib_sink *sink, const char *bytes, size_t count) {
    size_t fits = fitting(sink, count);
    if (fits)
        __builtin_memcpy(sink->bytes + sink->length, bytes, fits);
    sink->length += count;
}

static void fill(struct __raddle_lib_sink *sink, char byte, long count) {
    size_t fits;
    if (count <= 0)
        return;
    fits = fitting(sink, count);
    if (fits)
        __builtin_memset(sink->bytes + sink->length, byte, fits);
    sink->length += count;
}

/* A prefix (sign, 0x), zeroes, digits; padded to the width in front, between or behind. */
static void put_padded(struct __raddle_lib_sink *sink, const struct conversion *c,
                       const char *prefix, long zeroes, const char *digits, size_t n_digits,
                       _Bool pad_with_zeroes) {
    size_t n_prefix = strlen(prefix);
    long padding = (long)c->width - (long)(n_prefix + zeroes + n_digits);
    if (!c->left && !pad_with_zeroes)
        fill(sink, ' ', padding);
    put(sink, prefix, n_prefix);
    if (!c->left && pad_with_zeroes)
        fill(sink, '0', padding);
    fill(sink, '0', zeroes);
    put(sink, digits, n_digits);
    if (c->left)
        fill(sink, ' ', padding);
}

static char *digits_of(unsigned long long value, unsigned base, _Bool capital, char *end) {
    const char *letters = capital ? "0123456789ABCDEF" : "0123456789abcdef";
    if (value <= 0xffffffffu) { /* half the work where long division is a call */
        unsigned small = (unsigned)value;
        for (; small; small /= base)
            *--end = letters[small % base];
        return end;
    }
    for (; value; value /= base)
        *--end = letters[value % base];
    return end;
}

static void put_integer(struct __raddle_lib_sink *sink, const struct conversion *c,
                        unsigned long long value, const char *prefix, unsigned base) {
    char digits[24];
    char *end = digits + sizeof digits;
    char *start = digits_of(value, base, c->letter == 'X', end);
    long zeroes = (c->precision < 0 ? 1 : c->precision) - (end - start);
    if (zeroes < 0)
        zeroes = 0;
    if (c->alternate && base == 8 && zeroes == 0 && (start == end || *start != '0'))
        zeroes = 1;
    put_padded(sink, c, prefix, zeroes, start, end - start, c->zero && c->precision < 0);
}

static long long signed_argument(enum length length, struct __raddle_lib_arguments *arguments) {
    switch (length) {
    case SHORTEST:
        return (signed char)va_arg(arguments->list, int);
    case SHORT:
        return (short)va_arg(arguments->list, int);
    case LONG:
        return va_arg(arguments->list, long);
    case LONGEST:
    case LONG_DOUBLE:
        return va_arg(arguments->list, long long);
    case WIDEST:
        return va_arg(arguments->list, intmax_t);
    case SIZE:
        return va_arg(arguments->list, ssize_t);
    case DIFFERENCE:
        return va_arg(arguments->list, ptrdiff_t);
    default:
        return va_arg(arguments->list, int);
    }
}

static unsigned long long unsigned_argument(enum length length,
                                            struct __raddle_lib_arguments *arguments) {
    switch (length) {
    case SHORTEST:
        return (unsigned char)va_arg(arguments->list, unsigned);
    case SHORT:
        return (unsigned short)va_arg(arguments->list, unsigned);
    case LONG:
        return va_arg(arguments->list, unsigned long);
    case LONGEST:
    case LONG_DOUBLE:
        return va_arg(arguments->list, unsigned long long);
    case WIDEST:
        return va_arg(arguments->list, uintmax_t);
    case SIZE:
        return va_arg(arguments->list, size_t);
    case DIFFERENCE:
        return (size_t)va_arg(arguments->list, ptrdiff_t);
    default:
        return va_arg(arguments->list, unsigned);
    }
}

static const char *sign_of(const struct conversion *c, _Bool negative) {
    return negative ? "-" : c->plus ? "+" : c->space ? " " : "";
}

static void put_signed(struct __raddle_lib_sink *sink, const struct conversion *c,
                       struct __raddle_lib_arguments *arguments) {
    long long value = signed_argument(c->length, arguments);
    unsigned long long magnitude = value < 0 ? 0ULL - (unsigned long long)value : (unsigned long long)value;
    put_integer(sink, c, magnitude, sign_of(c, value < 0), 10);
}

static void put_unsigned(struct __raddle_lib_sink *sink, const struct conversion *c,
                         struct __raddle_lib_arguments *arguments) {
    unsigned long long value = unsigned_argument(c->length, arguments);
    const char *prefix = "";
    if (c->letter == 'u')
        put_integer(sink, c, value, prefix, 10);
    else if (c->letter == 'o')
        put_integer(sink, c, value, prefix, 8);
    else {
        if (c->alternate && value)
            prefix = c->letter == 'X' ? "0X" : "0x";
        put_integer(sink, c, value, prefix, 16);
    }
}

static void put_pointer(struct __raddle_lib_sink *sink, const struct conversion *c,
                        const void *pointer) {
    if (pointer)
        put_integer(sink, c, (uintptr_t)pointer,
                    c->plus    ? "+0x"
                    : c->space ? " 0x"
                               : "0x",
                    16);
    else
        put_padded(sink, c, "", 0, "(nil)", 5, 0);
}

static void put_string(struct __raddle_lib_sink *sink, const struct conversion *c,
                       const char *string) {
    size_t length;
    if (!string) /* as glibc: all of it or nothing */
        string = c->precision < 0 || c->precision >= 6 ? "(null)" : "";
    length = c->precision < 0 ? strlen(string) : strnlen(string, c->precision);
    put_padded(sink, c, "", 0, string, length, 0);
}

/* Wide characters of the C locale: one byte each. */
static void put_wide_string(struct __raddle_lib_sink *sink, const struct conversion *c,
                            const wchar_t *string) {
    size_t length = 0;
    if (!string) {
        put_string(sink, c, 0);
        return;
    }
    while ((c->precision < 0 || length < (size_t)c->precision) && string[length])
        length++;
    if (!c->left)
        fill(sink, ' ', c->width - (long)length);
    for (size_t i = 0; i < length; i++)
        fill(sink, (char)string[i], 1);
    if (c->left)
        fill(sink, ' ', c->width - (long)length);
}

static void put_double(struct __raddle_lib_sink *sink, const struct conversion *c, double value) {
    char few[64];
    char *text = few;
    int flags = (c->alternate ? 1 : 0) | (c->plus ? 2 : 0) | (c->space ? 4 : 0);
    int length = __raddle_format_double(few, sizeof few, value, c->letter, c->precision, flags);
    char prefix[4];
    int n_prefix = 0;
    _Bool finite = value - value == 0;
    if (length > (int)sizeof few) {
        text = __raddle_malloc(length, 1);
        if (!text)
            __raddle_unsupported("printf without memory for its output");
        __raddle_format_double(text, length, value, c->letter, c->precision, flags);
    }
    if (length && (text[0] == '-' || text[0] == '+' || text[0] == ' '))
        prefix[n_prefix++] = text[0];
    if (finite && (c->letter == 'a' || c->letter == 'A')) {
        prefix[n_prefix] = text[n_prefix];
        prefix[n_prefix + 1] = text[n_prefix + 1];
        n_prefix += 2;
    }
    prefix[n_prefix] = 0;
    put_padded(sink, c, prefix, 0, text + n_prefix, length - n_prefix, c->zero && finite);
    if (text != few)
        __raddle_free(text);
}

static void store_count(const struct conversion *c, size_t count,
                        struct __raddle_lib_arguments *arguments) {
    switch (c->length) {
    case SHORTEST:
        *va_arg(arguments->list, signed char *) = (signed char)count;
        break;
    case SHORT:
        *va_arg(arguments->list, short *) = (short)count;
        break;
    case LONG:
        *va_arg(arguments->list, long *) = count;
        break;
    case LONGEST:
    case LONG_DOUBLE:
        *va_arg(arguments->list, long long *) = count;
        break;
    case WIDEST:
        *va_arg(arguments->list, intmax_t *) = count;
        break;
    case SIZE:
        *va_arg(arguments->list, size_t *) = count;
        break;
    case DIFFERENCE:
        *va_arg(arguments->list, ptrdiff_t *) = count;
        break;
    default:
        *va_arg(arguments->list, int *) = (int)count;
    }
}

static const char *read_flags(const char *at, struct conversion *c) {
    for (;; at++) {
        switch (*at) {
        case '-':
            c->left = 1;
            break;
        case '+':
            c->plus = 1;
            break;
        case ' ':
            c->space = 1;
            break;
        case '#':
            c->alternate = 1;
            break;
        case '0':
            c->zero = 1;
            break;
        case '\'':
            break;
        default:
            return at;
        }
    }
}

static const char *read_number(const char *at, int *number,
                               struct __raddle_lib_arguments *arguments) {
    if (*at == '*') {
        *number = va_arg(arguments->list, int);
        return at + 1;
    }
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        *number = *number * 10 + (*at - '0');
    if (*at == '$')
        __raddle_unsupported("printf with numbered arguments");
    return at;
}

static const char *read_length(const char *at, enum length *length) {
    switch (*at) {
    case 'h':
        *length = at[1] == 'h' ? SHORTEST : SHORT;
        return at + (at[1] == 'h' ? 2 : 1);
    case 'l':
        *length = at[1] == 'l' ? LONGEST : LONG;
        return at + (at[1] == 'l' ? 2 : 1);
    case 'q':
        *length = LONGEST;
        return at + 1;
    case 'L':
        *length = LONG_DOUBLE;
        return at + 1;
    case 'j':
        *length = WIDEST;
        return at + 1;
    case 'z':
    case 'Z':
        *length = SIZE;
        return at + 1;
    case 't':
        *length = DIFFERENCE;
        return at + 1;
    default:
        *length = PLAIN;
        return at;
    }
}

/* Reads what follows the percent sign; returns the place after the letter. */
static const char *read_conversion(const char *at, struct conversion *c,
                                   struct __raddle_lib_arguments *arguments) {
    static const struct conversion plain = {.precision = -1, .length = PLAIN};
    *c = plain;
    at = read_flags(at, c);
    at = read_number(at, &c->width, arguments);
    if (c->width < 0) {
        c->left = 1;
        c->width = -c->width;
    }
    if (*at == '.') {
        if (at[1] == '-') { /* a negative precision is none */
            at = read_number(at + 2, &c->precision, arguments);
            c->precision = -1;
        } else
            at = read_number(at + 1, &c->precision, arguments);
        if (c->precision < 0)
            c->precision = -1;
    }
    at = read_length(at, &c->length);
    c->letter = *at;
    return *at ? at + 1 : at;
}

static void convert(struct __raddle_lib_sink *sink, struct conversion *c,
                    struct __raddle_lib_arguments *arguments) {
    char byte;
    switch (c->letter) {
    case 'd':
    case 'i':
        put_signed(sink, c, arguments);
        break;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        put_unsigned(sink, c, arguments);
        break;
    case 'c':
    case 'C':
        byte = (char)va_arg(arguments->list, int);
        put_padded(sink, c, "", 0, &byte, 1, 0);
        break;
    case 's':
        if (c->length == LONG)
            put_wide_string(sink, c, va_arg(arguments->list, const wchar_t *));
        else
            put_string(sink, c, va_arg(arguments->list, const char *));
        break;
    case 'S':
        put_wide_string(sink, c, va_arg(arguments->list, const wchar_t *));
        break;
    case 'p':
        put_pointer(sink, c, va_arg(arguments->list, void *));
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        put_double(sink, c,
                   c->length == LONG_DOUBLE ? (double)va_arg(arguments->list, long double)
                                            : va_arg(arguments->list, double));
        break;
    case 'n':
        store_count(c, sink->length, arguments);
        break;
    case 'm':
        put_string(sink, c, strerror(errno));
        break;
    case '%':
        put(sink, "%", 1);
        break;
    default:
        __raddle_misuse("printf with an invalid conversion");
    }
}

void __raddle_lib_format(struct __raddle_lib_sink *sink, const char *format,
                         struct __raddle_lib_arguments *arguments) {
    struct conversion c;
    while (*format) {
        const char *start = format;
        while (*format && *format != '%')
            format++;
        if (format != start)
            put(sink, start, format - start);
        if (*format) {
            format = read_conversion(format + 1, &c, arguments);
            convert(sink, &c, arguments);
        }
    }
}
