/* The heap, numbers, sorting, random numbers. */
#include "internal.h"
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define NATURAL_ALIGNMENT 16

static void *allocate_aligned(size_t alignment, size_t size) {
    void *object = __raddle_malloc(size, alignment);
    if (!object)
        errno = ENOMEM;
    return object;
}

void *malloc(size_t size) {
    return allocate_aligned(NATURAL_ALIGNMENT, size);
}

void free(void *object) {
    if (object)
        __raddle_free(object);
}

void cfree(void *object) {
    free(object);
}

void *calloc(size_t count, size_t size) {
    size_t bytes;
    void *object;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return 0;
    }
    object = malloc(bytes);
    if (object)
        __builtin_memset(object, 0, bytes);
    return object;
}

void *realloc(void *object, size_t size) {
    size_t old;
    void *other;
    if (!object)
        return malloc(size);
    if (size == 0) {
        __raddle_free(object);
        return 0;
    }
    old = __raddle_heap_size(object);
    other = malloc(size);
    if (!other)
        return 0;
    __builtin_memcpy(other, object, old < size ? old : size);
    __raddle_free(object);
    return other;
}

void *reallocarray(void *object, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return 0;
    }
    return realloc(object, bytes);
}

size_t malloc_usable_size(void *object) {
    return object ? __raddle_heap_size(object) : 0;
}

static _Bool is_power_of_two(size_t n) {
    return n && !(n & (n - 1));
}

void *aligned_alloc(size_t alignment, size_t size) {
    if (!is_power_of_two(alignment)) {
        errno = EINVAL;
        return 0;
    }
    return allocate_aligned(alignment, size);
}

void *memalign(size_t alignment, size_t size) {
    return aligned_alloc(alignment, size);
}

int posix_memalign(void **object, size_t alignment, size_t size) {
    void *new;
    if (!is_power_of_two(alignment) || alignment % sizeof(void *))
        return EINVAL;
    new = allocate_aligned(alignment, size);
    if (!new)
        return ENOMEM;
    *object = new;
    return 0;
}

void *valloc(size_t size) {
    return allocate_aligned(4096, size);
}

void *pvalloc(size_t size) {
    return allocate_aligned(4096, (size + 4095) & ~(size_t)4095);
}

int abs(int n) {
    return n < 0 ? -n : n;
}

long labs(long n) {
    return n < 0 ? -n : n;
}

long long llabs(long long n) {
    return n < 0 ? -n : n;
}

intmax_t imaxabs(intmax_t n) {
    return n < 0 ? -n : n;
}

div_t div(int n, int by) {
    div_t result = {n / by, n % by};
    return result;
}

ldiv_t ldiv(long n, long by) {
    ldiv_t result = {n / by, n % by};
    return result;
}

lldiv_t lldiv(long long n, long long by) {
    lldiv_t result = {n / by, n % by};
    return result;
}

imaxdiv_t imaxdiv(intmax_t n, intmax_t by) {
    imaxdiv_t result = {n / by, n % by};
    return result;
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 36;
}

/* The number without its sign; stops at ULLONG_MAX and says so. */
unsigned long long __raddle_lib_magnitude(const char *string, char **end, int base,
                                          _Bool *negative, _Bool *overflow) {
    const char *at = string;
    const char *digits;
    unsigned long long value = 0;
    *overflow = 0;
    *negative = 0;
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        if (end)
            *end = (char *)string;
        return 0;
    }
    while (isspace((unsigned char)*at))
        at++;
    if (*at == '-' || *at == '+')
        *negative = *at++ == '-';
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') &&
        digit_of(at[2]) < 16) {
        at += 2;
        base = 16;
    } else if (base == 0)
        base = *at == '0' ? 8 : 10;
    for (digits = at; digit_of(*at) < base; at++) {
        unsigned long long more;
        if (*overflow || __builtin_mul_overflow(value, (unsigned long long)base, &more) ||
            __builtin_add_overflow(more, (unsigned long long)digit_of(*at), &more)) {
            *overflow = 1;
            value = ULLONG_MAX;
        } else
            value = more;
    }
    if (end)
        *end = (char *)(at == digits ? string : at);
    return value;
}

static long long to_signed(const char *string, char **end, int base, long long least,
                           long long most) {
    _Bool negative, overflow;
    unsigned long long value = __raddle_lib_magnitude(string, end, base, &negative, &overflow);
    unsigned long long limit = negative ? 0ULL - (unsigned long long)least : (unsigned long long)most;
    if (value > limit) {
        errno = ERANGE;
        return negative ? least : most;
    }
    return negative ? (long long)(0ULL - value) : (long long)value;
}

static unsigned long long to_unsigned(const char *string, char **end, int base,
                                      unsigned long long most) {
    _Bool negative, overflow;
    unsigned long long value = __raddle_lib_magnitude(string, end, base, &negative, &overflow);
    if (overflow || value > most) {
        errno = ERANGE;
        return most;
    }
    return negative ? 0ULL - value : value;
}

long strtol(const char *restrict string, char **restrict end, int base) {
    return (long)to_signed(string, end, base, LONG_MIN, LONG_MAX);
}

long long strtoll(const char *restrict string, char **restrict end, int base) {
    return to_signed(string, end, base, LLONG_MIN, LLONG_MAX);
}

unsigned long strtoul(const char *restrict string, char **restrict end, int base) {
    return (unsigned long)to_unsigned(string, end, base, ULONG_MAX);
}

unsigned long long strtoull(const char *restrict string, char **restrict end, int base) {
    return to_unsigned(string, end, base, ULLONG_MAX);
}

intmax_t strtoimax(const char *string, char **end, int base) {
    return strtoll(string, end, base);
}

uintmax_t strtoumax(const char *string, char **end, int base) {
    return strtoull(string, end, base);
}

/* The names that C23 headers give these functions. */
long __isoc23_strtol(const char *restrict string, char **restrict end, int base) {
    return strtol(string, end, base);
}

unsigned long __isoc23_strtoul(const char *restrict string, char **restrict end, int base) {
    return strtoul(string, end, base);
}

long long __isoc23_strtoll(const char *restrict string, char **restrict end, int base) {
    return strtoll(string, end, base);
}

unsigned long long __isoc23_strtoull(const char *restrict string, char **restrict end, int base) {
    return strtoull(string, end, base);
}

int atoi(const char *string) {
    return (int)strtol(string, 0, 10);
}

long atol(const char *string) {
    return strtol(string, 0, 10);
}

long long atoll(const char *string) {
    return strtoll(string, 0, 10);
}

/* Whether a number has a digit that is not zero. */
static _Bool has_nonzero_digit(const char *from, const char *to) {
    _Bool hexadecimal = 0;
    for (; from < to; from++) {
        if (*from == 'x' || *from == 'X')
            hexadecimal = 1;
        else if (*from == 'p' || *from == 'P' || (!hexadecimal && (*from == 'e' || *from == 'E')))
            return 0;
        else if (digit_of(*from) > 0 && digit_of(*from) < 16)
            return 1;
    }
    return 0;
}

double strtod(const char *restrict string, char **restrict end) {
    char *stop;
    double value = __raddle_parse_double(string, &stop);
    __raddle_lib_look_at(string, stop - string + 1);
    if (end)
        *end = stop;
    if (stop != string && !isalpha((unsigned char)stop[-1])) {
        _Bool infinite = value == value && value - value != 0;
        _Bool tiny = value < __DBL_MIN__ && value > -__DBL_MIN__;
        if (infinite || (tiny && has_nonzero_digit(string, stop)))
            errno = ERANGE;
    }
    return value;
}

float strtof(const char *restrict string, char **restrict end) {
    double value = strtod(string, end);
    float narrow = (float)value;
    if (value - value == 0 && narrow - narrow != 0)
        errno = ERANGE;
    return narrow;
}

long double strtold(const char *restrict string, char **restrict end) {
    return strtod(string, end);
}

double atof(const char *string) {
    return strtod(string, 0);
}

/* Random numbers: one stream for all threads. A call takes the next number of it in one step, as
   glibc's does under a lock of its own: two calls do not race, and the interleaving decides which
   thread gets which number. Nothing says that such a call orders anything else. */
#define RANDOM_SEED(seed) ((seed) * 0x100000001b3ULL)
#define RANDOM_STEP 0x9e3779b97f4a7c15ULL

static SHARED_STATE unsigned long long rand_state = RANDOM_SEED(1);

static unsigned long long scramble(unsigned long long mixed) {
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31);
}

void srand(unsigned seed) {
    __atomic_store_n(&rand_state, RANDOM_SEED(seed), __ATOMIC_RELAXED);
}

int rand(void) {
    return (int)(scramble(__atomic_add_fetch(&rand_state, RANDOM_STEP, __ATOMIC_RELAXED)) >> 33);
}

int rand_r(unsigned *state) {
    unsigned mixed;
    *state += 0x9e3779b9u;
    mixed = *state;
    mixed = (mixed ^ (mixed >> 16)) * 0x85ebca6bu;
    mixed = (mixed ^ (mixed >> 13)) * 0xc2b2ae35u;
    return (int)((mixed ^ (mixed >> 16)) >> 1);
}

void srandom(unsigned seed) {
    srand(seed);
}

long random(void) {
    return rand();
}

/* The state of these has no lock in glibc: calls of two threads race. */
static SHARED_STATE unsigned long long drand48_state;

void srand48(long seed) {
    drand48_state = RANDOM_SEED((unsigned long long)seed);
}

static unsigned long long next_48(void) {
    unsigned long long next = drand48_state + RANDOM_STEP;
    drand48_state = next;
    return scramble(next);
}

double drand48(void) {
    return (double)(next_48() >> 11) / 9007199254740992.0;
}

long lrand48(void) {
    return (long)(next_48() >> 33);
}

long mrand48(void) {
    return (int)(next_48() >> 32);
}

/* Sorting: heapsort, in place and the same in every run. */
struct array {
    char *start;
    size_t size;
    int (*compare)(const void *, const void *);
    int (*compare_with)(const void *, const void *, void *);
    void *argument;
};

static _Bool is_less(const struct array *array, size_t a, size_t b) {
    const char *left = array->start + a * array->size;
    const char *right = array->start + b * array->size;
    if (array->compare)
        return array->compare(left, right) < 0;
    return array->compare_with(left, right, array->argument) < 0;
}

static void swap_items(const struct array *array, size_t a, size_t b) {
    char *left = array->start + a * array->size;
    char *right = array->start + b * array->size;
    for (size_t i = 0; i < array->size; i++) {
        char byte = left[i];
        left[i] = right[i];
        right[i] = byte;
    }
}

static void sift_down(const struct array *array, size_t root, size_t count) {
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= count)
            return;
        if (child + 1 < count && is_less(array, child, child + 1))
            child++;
        if (!is_less(array, root, child))
            return;
        swap_items(array, root, child);
        root = child;
    }
}

/* Few items are sorted by insertion, which also keeps equal ones in order. */
static void sort(const struct array *array, size_t count) {
    if (count <= 16) {
        for (size_t i = 1; i < count; i++)
            for (size_t j = i; j > 0 && is_less(array, j, j - 1); j--)
                swap_items(array, j, j - 1);
        return;
    }
    for (size_t i = count / 2; i-- > 0;)
        sift_down(array, i, count);
    for (size_t last = count - 1; last > 0; last--) {
        swap_items(array, 0, last);
        sift_down(array, 0, last);
    }
}

void qsort(void *start, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    struct array array = {start, size, compare, 0, 0};
    sort(&array, count);
}

void qsort_r(void *start, size_t count, size_t size,
             int (*compare)(const void *, const void *, void *), void *argument) {
    struct array array = {start, size, 0, compare, argument};
    sort(&array, count);
}

void *bsearch(const void *key, const void *start, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *item = (const char *)start + middle * size;
        int order = compare(key, item);
        if (order == 0)
            return (void *)item;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

char *getenv(const char *name) {
    (void)name;
    return 0;
}

char *secure_getenv(const char *name) {
    (void)name;
    return 0;
}
