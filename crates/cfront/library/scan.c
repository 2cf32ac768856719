/* scanf's conversions. */
#include "internal.h"
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where input comes from: a string or a stream. One byte can be given back. */
struct source {
    const char *string;
    FILE *stream;
    int given_back; /* EOF: none */
    size_t n_read;
};

struct item {
    _Bool suppressed;
    size_t width; /* 0: none */
    char length;  /* 'H' for hh, 'h', 'l', 'L' for ll and L, 'j', 'z', 't', or 0 */
    char letter;
};

#define MAX_NUMBER 128

static int next(struct source *source) {
    int byte = source->given_back;
    if (byte != EOF)
        source->given_back = EOF;
    else if (source->stream)
        byte = __raddle_lib_next_byte(source->stream);
    else if (*source->string)
        byte = (unsigned char)*source->string++;
    else
        return EOF;
    if (byte != EOF)
        source->n_read++;
    return byte;
}

static void give_back(struct source *source, int byte) {
    if (byte == EOF)
        return;
    source->given_back = byte;
    source->n_read--;
}

/* Returns whether input is left. */
static _Bool skip_space(struct source *source) {
    int byte;
    do
        byte = next(source);
    while (byte != EOF && isspace(byte));
    give_back(source, byte);
    return byte != EOF;
}

/* The bytes of a number, as many as can belong to one. */
struct number {
    char text[MAX_NUMBER];
    size_t length;
    size_t width;
};

/* Takes the next byte if it is one of a set. */
static _Bool take(struct source *source, struct number *number, const char *set) {
    int byte;
    if (number->length >= number->width || number->length + 1 >= MAX_NUMBER)
        return 0;
    byte = next(source);
    if (byte == EOF || !byte || !strchr(set, byte)) {
        give_back(source, byte);
        return 0;
    }
    number->text[number->length++] = (char)byte;
    number->text[number->length] = 0;
    return 1;
}

static size_t take_all(struct source *source, struct number *number, const char *set) {
    size_t count = 0;
    while (take(source, number, set))
        count++;
    return count;
}

static _Bool read_integer(struct source *source, struct number *number, int *base) {
    size_t digits = 0;
    take(source, number, "+-");
    if ((*base == 0 || *base == 16) && take(source, number, "0")) {
        digits = 1;
        if (take(source, number, "xX")) /* without digits behind it, it is a zero for glibc */
            *base = 16;
        else if (*base == 0)
            *base = 8;
    } else if (*base == 0)
        *base = 10;
    digits += take_all(source, number,
                       *base == 16  ? "0123456789abcdefABCDEF"
                       : *base == 8 ? "01234567"
                                    : "0123456789");
    return digits > 0;
}

static _Bool take_word(struct source *source, struct number *number, const char *word) {
    for (; *word; word++) {
        char both[3] = {*word, (char)toupper(*word), 0};
        if (!take(source, number, both))
            return 0;
    }
    return 1;
}

static _Bool read_floating(struct source *source, struct number *number) {
    const char *decimal = "0123456789";
    const char *set = decimal;
    const char *exponent = "eE";
    size_t digits = 0;
    take(source, number, "+-");
    if (take(source, number, "iI")) {
        if (!take_word(source, number, "nf"))
            return 0;
        return !take(source, number, "iI") || take_word(source, number, "nity");
    }
    if (take(source, number, "nN"))
        return take_word(source, number, "an");
    if (take(source, number, "0")) {
        if (take(source, number, "xX")) {
            set = "0123456789abcdefABCDEF";
            exponent = "pP";
        } else
            digits = 1;
    }
    digits += take_all(source, number, set);
    if (take(source, number, "."))
        digits += take_all(source, number, set);
    if (!digits)
        return 0;
    if (take(source, number, exponent)) {
        take(source, number, "+-");
        take_all(source, number, decimal);
    }
    return 1;
}

static void store_integer(struct __raddle_lib_arguments *to, char length,
                          unsigned long long value) {
    switch (length) {
    case 'H':
        *va_arg(to->list, unsigned char *) = (unsigned char)value;
        break;
    case 'h':
        *va_arg(to->list, unsigned short *) = (unsigned short)value;
        break;
    case 'l':
        *va_arg(to->list, unsigned long *) = (unsigned long)value;
        break;
    case 'L':
        *va_arg(to->list, unsigned long long *) = value;
        break;
    case 'j':
        *va_arg(to->list, uintmax_t *) = value;
        break;
    case 'z':
    case 't':
        *va_arg(to->list, size_t *) = (size_t)value;
        break;
    default:
        *va_arg(to->list, unsigned *) = (unsigned)value;
    }
}

static void store_floating(struct __raddle_lib_arguments *to, char length, double value) {
    if (length == 'l')
        *va_arg(to->list, double *) = value;
    else if (length == 'L')
        *va_arg(to->list, long double *) = value;
    else
        *va_arg(to->list, float *) = (float)value;
}

/* What a conversion came to. */
enum outcome { STORED, NOTHING, MISMATCH, NO_INPUT };

static enum outcome scan_integer(struct source *source, const struct item *item,
                                 struct __raddle_lib_arguments *to) {
    struct number number = {{0}, 0, item->width ? item->width : MAX_NUMBER};
    int base = item->letter == 'i'                                                ? 0
               : item->letter == 'o'                                              ? 8
               : item->letter == 'x' || item->letter == 'X' || item->letter == 'p' ? 16
                                                                                  : 10;
    _Bool is_signed = item->letter == 'd' || item->letter == 'i';
    unsigned long long value;
    if (!skip_space(source))
        return NO_INPUT;
    if (!read_integer(source, &number, &base))
        return MISMATCH;
    if (item->suppressed)
        return NOTHING;
    if (is_signed && item->length != 'L' && item->length != 'j')
        value = strtol(number.text, 0, base);
    else if (is_signed)
        value = strtoll(number.text, 0, base);
    else
        value = strtoull(number.text, 0, base);
    store_integer(to, item->letter == 'p' ? 'z' : item->length, value);
    return STORED;
}

static enum outcome scan_floating(struct source *source, const struct item *item,
                                  struct __raddle_lib_arguments *to) {
    struct number number = {{0}, 0, item->width ? item->width : MAX_NUMBER};
    if (!skip_space(source))
        return NO_INPUT;
    if (!read_floating(source, &number))
        return MISMATCH;
    if (item->suppressed)
        return NOTHING;
    store_floating(to, item->length, strtod(number.text, 0));
    return STORED;
}

/* The bytes between brackets; returns the place after them. */
static const char *read_set(const char *format, _Bool set[256]) {
    _Bool inverted = *format == '^';
    const char *start;
    if (inverted)
        format++;
    for (int i = 0; i < 256; i++)
        set[i] = inverted;
    for (start = format; *format && (*format != ']' || format == start); format++) {
        unsigned char first = *format;
        unsigned char last = first;
        if (format[1] == '-' && format[2] && format[2] != ']') {
            last = format[2];
            format += 2;
        }
        for (int i = first; i <= last; i++)
            set[i] = !inverted;
    }
    return *format ? format + 1 : format;
}

static enum outcome scan_bytes(struct source *source, const struct item *item,
                               const _Bool set[256], struct __raddle_lib_arguments *to) {
    char *out = item->suppressed ? 0 : va_arg(to->list, char *);
    size_t width = item->width ? item->width : item->letter == 'c' ? 1 : (size_t)-1;
    size_t length = 0;
    int byte = EOF;
    while (length < width) {
        byte = next(source);
        if (byte == EOF || (set && !set[byte]))
            break;
        if (out)
            out[length] = (char)byte;
        length++;
    }
    if (length < width)
        give_back(source, byte);
    if (length == 0)
        return byte == EOF ? NO_INPUT : MISMATCH;
    if (out && item->letter != 'c')
        out[length] = 0;
    return out ? STORED : NOTHING;
}

static const char *read_item(const char *format, struct item *item) {
    static const struct item plain;
    *item = plain;
    if (*format == '*') {
        item->suppressed = 1;
        format++;
    }
    for (; isdigit((unsigned char)*format); format++)
        item->width = item->width * 10 + (*format - '0');
    if (*format == 'm' || *format == '$')
        __raddle_unsupported("scanf with %m or numbered arguments");
    if (*format == 'h' || *format == 'l') {
        item->length = *format++;
        if (*format == item->length) {
            item->length = item->length == 'h' ? 'H' : 'L';
            format++;
        }
    } else if (*format && strchr("Ljztq", *format)) {
        item->length = *format == 'q' ? 'L' : *format;
        format++;
    }
    item->letter = *format;
    return *format ? format + 1 : format;
}

static enum outcome scan_literal(struct source *source, int expected) {
    int byte = next(source);
    if (byte == expected)
        return NOTHING;
    give_back(source, byte);
    return byte == EOF ? NO_INPUT : MISMATCH;
}

static enum outcome scan_item(struct source *source, const struct item *item, const char **format,
                              struct __raddle_lib_arguments *to) {
    _Bool set[256];
    switch (item->letter) {
    case '%':
        skip_space(source);
        return scan_literal(source, '%');
    case 'n':
        if (!item->suppressed)
            store_integer(to, item->length, source->n_read);
        return NOTHING;
    case 'c':
        return scan_bytes(source, item, 0, to);
    case 's':
        if (!skip_space(source))
            return NO_INPUT;
        for (int i = 0; i < 256; i++)
            set[i] = !isspace(i);
        return scan_bytes(source, item, set, to);
    case '[':
        *format = read_set(*format, set);
        return scan_bytes(source, item, set, to);
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'p':
        return scan_integer(source, item, to);
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        return scan_floating(source, item, to);
    default:
        __raddle_misuse("scanf with an invalid conversion");
    }
}

static int scan(struct source *source, const char *format, struct __raddle_lib_arguments *to) {
    int n_stored = 0;
    while (*format) {
        enum outcome outcome = NOTHING;
        if (isspace((unsigned char)*format)) {
            skip_space(source);
            format++;
        } else if (*format != '%')
            outcome = scan_literal(source, (unsigned char)*format++);
        else {
            struct item item;
            format = read_item(format + 1, &item);
            outcome = scan_item(source, &item, &format, to);
        }
        if (outcome == STORED)
            n_stored++;
        else if (outcome == NO_INPUT)
            return n_stored ? n_stored : EOF;
        else if (outcome == MISMATCH)
            break;
    }
    return n_stored;
}

static int scan_source(const char *string, FILE *stream, const char *format, va_list list) {
    struct source source = {string, stream, EOF, 0};
    struct __raddle_lib_arguments to;
    int result;
    va_copy(to.list, list);
    result = scan(&source, format, &to);
    va_end(to.list);
    if (stream && source.given_back != EOF)
        ungetc(source.given_back, stream);
    return result;
}

int vsscanf(const char *restrict string, const char *restrict format, va_list list) {
    return scan_source(string, 0, format, list);
}

int vfscanf(FILE *restrict stream, const char *restrict format, va_list list) {
    return scan_source(0, stream, format, list);
}

int vscanf(const char *restrict format, va_list list) {
    return scan_source(0, stdin, format, list);
}

/* The last names are those that glibc's header gives these functions. */
#define SCAN(name, parameters, call)  \
    int name parameters {             \
        va_list list;                 \
        int result;                   \
        va_start(list, format);       \
        result = call;                \
        va_end(list);                 \
        return result;                \
    }
SCAN(scanf, (const char *restrict format, ...), vscanf(format, list))
SCAN(__isoc99_scanf, (const char *restrict format, ...), vscanf(format, list))
SCAN(fscanf, (FILE *restrict stream, const char *restrict format, ...),
     vfscanf(stream, format, list))
SCAN(__isoc99_fscanf, (FILE *restrict stream, const char *restrict format, ...),
     vfscanf(stream, format, list))
SCAN(sscanf, (const char *restrict string, const char *restrict format, ...),
     vsscanf(string, format, list))
SCAN(__isoc99_sscanf, (const char *restrict string, const char *restrict format, ...),
     vsscanf(string, format, list))

int __isoc99_vsscanf(const char *restrict string, const char *restrict format, va_list list) {
    return vsscanf(string, format, list);
}

int __isoc99_vfscanf(FILE *restrict stream, const char *restrict format, va_list list) {
    return vfscanf(stream, format, list);
}

int __isoc99_vscanf(const char *restrict format, va_list list) {
    return vscanf(format, list);
}
