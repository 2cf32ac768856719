#ifndef RADDLE_STDLIB_H
#define RADDLE_STDLIB_H
#include <alloca.h>
#include <stddef.h>
#include <sys/types.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX ((size_t)1)
typedef struct {
    int quot;
    int rem;
} div_t;
typedef struct {
    long quot;
    long rem;
} ldiv_t;
typedef struct {
    long long quot;
    long long rem;
} lldiv_t;

void *malloc(size_t) __attribute__((__malloc__));
void *calloc(size_t count, size_t size) __attribute__((__malloc__));
void *realloc(void *, size_t);
void *reallocarray(void *, size_t count, size_t size);
void free(void *);
void cfree(void *);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **, size_t alignment, size_t size);
void *valloc(size_t);

void abort(void) __attribute__((__noreturn__));
void exit(int) __attribute__((__noreturn__));
void _Exit(int) __attribute__((__noreturn__));
void quick_exit(int) __attribute__((__noreturn__));
int atexit(void (*)(void));
int at_quick_exit(void (*)(void));
int on_exit(void (*)(int, void *), void *);

int abs(int) __attribute__((__const__));
long labs(long) __attribute__((__const__));
long long llabs(long long) __attribute__((__const__));
div_t div(int, int);
ldiv_t ldiv(long, long);
lldiv_t lldiv(long long, long long);
int atoi(const char *);
long atol(const char *);
long long atoll(const char *);
double atof(const char *);
long strtol(const char *restrict, char **restrict end, int base);
long long strtoll(const char *restrict, char **restrict end, int base);
unsigned long strtoul(const char *restrict, char **restrict end, int base);
unsigned long long strtoull(const char *restrict, char **restrict end, int base);
double strtod(const char *restrict, char **restrict end);
float strtof(const char *restrict, char **restrict end);
long double strtold(const char *restrict, char **restrict end);

int rand(void);
void srand(unsigned);
int rand_r(unsigned *);
long random(void);
void srandom(unsigned);
double drand48(void);
long lrand48(void);
long mrand48(void);
void srand48(long);

void qsort(void *, size_t count, size_t size, int (*compare)(const void *, const void *));
void qsort_r(void *, size_t count, size_t size,
             int (*compare)(const void *, const void *, void *), void *);
void *bsearch(const void *key, const void *, size_t count, size_t size,
              int (*compare)(const void *, const void *));

char *getenv(const char *);
char *secure_getenv(const char *);
int setenv(const char *, const char *, int overwrite);
int unsetenv(const char *);
int putenv(char *);
int system(const char *);
int mkstemp(char *);
char *realpath(const char *restrict, char *restrict);
#endif
