/* What the machine does for the library; the contracts stand in ir/primitive.rs. */
#ifndef RADDLE_PRIMITIVES_H
#define RADDLE_PRIMITIVES_H
#define NORETURN __attribute__((__noreturn__))

void *__raddle_malloc(__SIZE_TYPE__, __SIZE_TYPE__ alignment);
void __raddle_free(void *);
__SIZE_TYPE__ __raddle_heap_size(void *);
NORETURN void __raddle_exit(int status);
NORETURN void __raddle_abort(void);
NORETURN void __raddle_assert_fail(const char *expression, const char *file, unsigned line,
                                   const char *function);
NORETURN void __raddle_reach_error(void);
NORETURN void __raddle_misuse(const char *message);
NORETURN void __raddle_unsupported(const char *function);
void __raddle_assume(int condition);
void __raddle_atomic_begin(void);
void __raddle_atomic_end(void);
void __raddle_transaction_begin(const char *name);
void __raddle_transaction_end(void);

long __raddle_write(int fd, const void *, __SIZE_TYPE__);
long __raddle_read(int fd, void *, __SIZE_TYPE__);
int __raddle_format_double(char *out, __SIZE_TYPE__ room, double, int conversion, int precision,
                           int flags);
double __raddle_parse_double(const char *, char **end);

unsigned long __raddle_thread_new(void *(*)(void *), void *, int detached);
void __raddle_thread_start(unsigned long);
int __raddle_thread_join(unsigned long, void **result);
int __raddle_thread_try_join(unsigned long, void **result);
int __raddle_thread_timed_join(unsigned long, void **result, long long deadline);
NORETURN void __raddle_thread_exit(void *);
int __raddle_thread_detach(unsigned long);
unsigned long __raddle_thread_self(void);
void __raddle_yield(void);
void __raddle_sleep(long long);
long long __raddle_now(void);

int __raddle_mutex_init(void *, int kind);
int __raddle_mutex_destroy(void *);
int __raddle_mutex_lock(void *);
int __raddle_mutex_try_lock(void *);
int __raddle_mutex_timed_lock(void *, long long deadline);
int __raddle_mutex_unlock(void *);
int __raddle_cond_init(void *);
int __raddle_cond_destroy(void *);
int __raddle_cond_wait(void *, void *mutex);
int __raddle_cond_timed_wait(void *, void *mutex, long long deadline);
int __raddle_cond_signal(void *);
int __raddle_cond_broadcast(void *);
int __raddle_rwlock_init(void *, int);
int __raddle_rwlock_destroy(void *);
int __raddle_rwlock_read(void *);
int __raddle_rwlock_try_read(void *);
int __raddle_rwlock_timed_read(void *, long long deadline);
int __raddle_rwlock_write(void *);
int __raddle_rwlock_try_write(void *);
int __raddle_rwlock_timed_write(void *, long long deadline);
int __raddle_rwlock_unlock(void *);
int __raddle_spin_init(void *);
int __raddle_spin_destroy(void *);
int __raddle_spin_lock(void *);
int __raddle_spin_try_lock(void *);
int __raddle_spin_unlock(void *);
int __raddle_barrier_init(void *, unsigned count);
int __raddle_barrier_destroy(void *);
int __raddle_barrier_wait(void *);
int __raddle_sem_init(void *, unsigned value);
int __raddle_sem_destroy(void *);
int __raddle_sem_wait(void *);
int __raddle_sem_try_wait(void *);
int __raddle_sem_timed_wait(void *, long long deadline);
int __raddle_sem_post(void *);
int __raddle_sem_value(void *);
int __raddle_once_begin(void *);
void __raddle_once_end(void *);

double __raddle_math_sin(double);
double __raddle_math_cos(double);
double __raddle_math_tan(double);
double __raddle_math_asin(double);
double __raddle_math_acos(double);
double __raddle_math_atan(double);
double __raddle_math_sinh(double);
double __raddle_math_cosh(double);
double __raddle_math_tanh(double);
double __raddle_math_asinh(double);
double __raddle_math_acosh(double);
double __raddle_math_atanh(double);
double __raddle_math_exp(double);
double __raddle_math_exp2(double);
double __raddle_math_expm1(double);
double __raddle_math_log(double);
double __raddle_math_log2(double);
double __raddle_math_log10(double);
double __raddle_math_log1p(double);
double __raddle_math_sqrt(double);
double __raddle_math_cbrt(double);
double __raddle_math_floor(double);
double __raddle_math_ceil(double);
double __raddle_math_trunc(double);
double __raddle_math_round(double);
double __raddle_math_rint(double);
double __raddle_math_pow(double, double);
double __raddle_math_atan2(double, double);
double __raddle_math_fmod(double, double);
double __raddle_math_remainder(double, double);
double __raddle_math_hypot(double, double);

_Bool __raddle_nondet_bool(void);
char __raddle_nondet_char(void);
signed char __raddle_nondet_schar(void);
unsigned char __raddle_nondet_uchar(void);
short __raddle_nondet_short(void);
unsigned short __raddle_nondet_ushort(void);
int __raddle_nondet_int(void);
unsigned int __raddle_nondet_uint(void);
long __raddle_nondet_long(void);
unsigned long __raddle_nondet_ulong(void);
long long __raddle_nondet_longlong(void);
unsigned long long __raddle_nondet_ulonglong(void);
float __raddle_nondet_float(void);
double __raddle_nondet_double(void);
void *__raddle_nondet_pointer(void);
#endif
