/* Builtins of gcc that are ordinary functions here: bit counting, byte swapping, and whether
   arithmetic overflows. */

static int leading_zeros(unsigned long long value, int width) {
    int n = 0;
    while (n < width && !(value >> (width - 1 - n) & 1)) {
        n++;
    }
    return n;
}

static int trailing_zeros(unsigned long long value, int width) {
    int n = 0;
    while (n < width && !(value >> n & 1)) {
        n++;
    }
    return n;
}

static int ones(unsigned long long value) {
    int n = 0;
    while (value) {
        value &= value - 1;
        n++;
    }
    return n;
}

int __builtin_clz(unsigned value) { return leading_zeros(value, 32); }
int __builtin_clzl(unsigned long value) { return leading_zeros(value, 8 * sizeof value); }
int __builtin_clzll(unsigned long long value) { return leading_zeros(value, 64); }
int __builtin_ctz(unsigned value) { return trailing_zeros(value, 32); }
int __builtin_ctzl(unsigned long value) { return trailing_zeros(value, 8 * sizeof value); }
int __builtin_ctzll(unsigned long long value) { return trailing_zeros(value, 64); }
int __builtin_popcount(unsigned value) { return ones(value); }
int __builtin_popcountl(unsigned long value) { return ones(value); }
int __builtin_popcountll(unsigned long long value) { return ones(value); }
int __builtin_parity(unsigned value) { return ones(value) & 1; }
int __builtin_parityl(unsigned long value) { return ones(value) & 1; }
int __builtin_parityll(unsigned long long value) { return ones(value) & 1; }
int __builtin_ffs(int value) { return value ? trailing_zeros((unsigned)value, 32) + 1 : 0; }
int __builtin_ffsl(long value) { return value ? trailing_zeros((unsigned long)value, 64) + 1 : 0; }
int __builtin_ffsll(long long value) {
    return value ? trailing_zeros((unsigned long long)value, 64) + 1 : 0;
}

/* How many bits after the sign equal it. */
static int redundant_signs(long long value, int width) {
    unsigned long long same = (unsigned long long)(value < 0 ? ~value : value);
    return leading_zeros(same, width) - 1;
}

int __builtin_clrsb(int value) { return redundant_signs(value, 32); }
int __builtin_clrsbl(long value) { return redundant_signs(value, 8 * sizeof value); }
int __builtin_clrsbll(long long value) { return redundant_signs(value, 64); }

unsigned short __builtin_bswap16(unsigned short value) {
    return (unsigned short)(value << 8 | value >> 8);
}

unsigned __builtin_bswap32(unsigned value) {
    return value << 24 | (value & 0xff00) << 8 | (value >> 8 & 0xff00) | value >> 24;
}

unsigned long long __builtin_bswap64(unsigned long long value) {
    return (unsigned long long)__builtin_bswap32((unsigned)value) << 32
         | __builtin_bswap32((unsigned)(value >> 32));
}

/* An exact integer as a sign and a magnitude of at most 64 bits; a larger one is `huge`. */
struct exact {
    _Bool negative;
    _Bool huge;
    unsigned long long magnitude;
};

static struct exact exact_of(unsigned long long bits, int is_signed) {
    struct exact value = {0, 0, bits};
    if (is_signed && (long long)bits < 0) {
        value.negative = 1;
        value.magnitude = 0 - bits;
    }
    return value;
}

static struct exact sum(struct exact left, struct exact right) {
    struct exact result = {left.negative, 0, 0};
    if (left.negative == right.negative) {
        result.magnitude = left.magnitude + right.magnitude;
        result.huge = result.magnitude < left.magnitude;
    } else if (left.magnitude >= right.magnitude) {
        result.magnitude = left.magnitude - right.magnitude;
    } else {
        result.negative = right.negative;
        result.magnitude = right.magnitude - left.magnitude;
    }
    return result;
}

/* Whether the integer has no place in a type with so many bits. */
static _Bool has_no_place(struct exact value, int is_signed, int width) {
    unsigned long long top = 1ull << (width - 1);
    if (value.huge) {
        return 1;
    }
    if (is_signed) {
        return value.negative ? value.magnitude > top : value.magnitude >= top;
    }
    return value.negative ? value.magnitude != 0 : width < 64 && value.magnitude >= 2 * top;
}

_Bool __raddle_lib_add_overflows(unsigned long long left, unsigned long long right,
                                 int left_signed, int right_signed, int is_signed, int width) {
    struct exact result = sum(exact_of(left, left_signed), exact_of(right, right_signed));
    return has_no_place(result, is_signed, width);
}

_Bool __raddle_lib_subtract_overflows(unsigned long long left, unsigned long long right,
                                      int left_signed, int right_signed, int is_signed, int width) {
    struct exact subtrahend = exact_of(right, right_signed);
    subtrahend.negative = !subtrahend.negative;
    return has_no_place(sum(exact_of(left, left_signed), subtrahend), is_signed, width);
}

_Bool __raddle_lib_multiply_overflows(unsigned long long left, unsigned long long right,
                                      int left_signed, int right_signed, int is_signed, int width) {
    struct exact a = exact_of(left, left_signed), b = exact_of(right, right_signed);
    struct exact result = {a.negative != b.negative, 0, a.magnitude * b.magnitude};
    result.huge = a.magnitude && result.magnitude / a.magnitude != b.magnitude;
    return has_no_place(result, is_signed, width);
}
