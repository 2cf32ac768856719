/* Classes of characters: a table whose bits are those that glibc's macros test. */
#include <ctype.h>
#include <locale.h>

enum {
    UPPER = 0x100,
    LOWER = 0x200,
    ALPHA = 0x400,
    DIGIT = 0x800,
    XDIGIT = 0x1000,
    SPACE = 0x2000,
    PRINT = 0x4000,
    GRAPH = 0x8000,
    BLANK = 0x1,
    CNTRL = 0x2,
    PUNCT = 0x4,
    ALNUM = 0x8
};

#define SEEN (PRINT | GRAPH)
#define DIGITS (SEEN | ALNUM | DIGIT | XDIGIT)
#define CAPITAL (SEEN | ALNUM | ALPHA | UPPER)
#define SMALL (SEEN | ALNUM | ALPHA | LOWER)

/* From -128 to 255. */
static const unsigned short classes[384] = {
    [128 + 0 ... 128 + 8] = CNTRL,
    [128 + '\t'] = CNTRL | SPACE | BLANK,
    [128 + '\n' ... 128 + '\r'] = CNTRL | SPACE,
    [128 + 14 ... 128 + 31] = CNTRL,
    [128 + ' '] = PRINT | SPACE | BLANK,
    [128 + '!' ... 128 + '/'] = SEEN | PUNCT,
    [128 + '0' ... 128 + '9'] = DIGITS,
    [128 + ':' ... 128 + '@'] = SEEN | PUNCT,
    [128 + 'A' ... 128 + 'F'] = CAPITAL | XDIGIT,
    [128 + 'G' ... 128 + 'Z'] = CAPITAL,
    [128 + '[' ... 128 + '`'] = SEEN | PUNCT,
    [128 + 'a' ... 128 + 'f'] = SMALL | XDIGIT,
    [128 + 'g' ... 128 + 'z'] = SMALL,
    [128 + '{' ... 128 + '~'] = SEEN | PUNCT,
    [128 + 127] = CNTRL,
};

static const unsigned short *const class_table = classes + 128;

const unsigned short **__ctype_b_loc(void) {
    return (const unsigned short **)&class_table;
}

/* Tables of both directions, made when somebody first asks for them. */
static int lower_table[384];
static int upper_table[384];
static const int *lower_start;
static const int *upper_start;

const int **__ctype_tolower_loc(void) {
    if (!lower_start) {
        for (int c = -128; c < 256; c++)
            lower_table[c + 128] = c >= 'A' && c <= 'Z' ? c + 32 : c;
        lower_start = lower_table + 128;
    }
    return &lower_start;
}

const int **__ctype_toupper_loc(void) {
    if (!upper_start) {
        for (int c = -128; c < 256; c++)
            upper_table[c + 128] = c >= 'a' && c <= 'z' ? c - 32 : c;
        upper_start = upper_table + 128;
    }
    return &upper_start;
}

static int has_class(int c, int mask) {
    return c >= -128 && c < 256 ? classes[c + 128] & mask : 0;
}

int isalnum(int c) {
    return has_class(c, ALNUM);
}

int isalpha(int c) {
    return has_class(c, ALPHA);
}

int isblank(int c) {
    return has_class(c, BLANK);
}

int iscntrl(int c) {
    return has_class(c, CNTRL);
}

int isdigit(int c) {
    return has_class(c, DIGIT);
}

int isgraph(int c) {
    return has_class(c, GRAPH);
}

int islower(int c) {
    return has_class(c, LOWER);
}

int isprint(int c) {
    return has_class(c, PRINT);
}

int ispunct(int c) {
    return has_class(c, PUNCT);
}

int isspace(int c) {
    return has_class(c, SPACE);
}

int isupper(int c) {
    return has_class(c, UPPER);
}

int isxdigit(int c) {
    return has_class(c, XDIGIT);
}

int isascii(int c) {
    return c >= 0 && c < 128;
}

int toascii(int c) {
    return c & 127;
}

int tolower(int c) {
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

int toupper(int c) {
    return c >= 'a' && c <= 'z' ? c - 32 : c;
}

/* The locale that was set: there is only one. */
static SHARED_STATE const char *setlocale_state = "C";

char *setlocale(int category, const char *locale) {
    (void)category;
    if (!locale)
        return (char *)setlocale_state;
    setlocale_state = "C";
    if (!*locale || (locale[0] == 'C' && !locale[1]))
        return (char *)"C";
    return 0;
}

static SHARED_STATE struct lconv localeconv_result;

struct lconv *localeconv(void) {
    struct lconv conventions = {(char *)".", (char *)""};
    localeconv_result = conventions;
    return &localeconv_result;
}
