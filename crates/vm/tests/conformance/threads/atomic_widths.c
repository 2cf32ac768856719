#include <stdatomic.h>
#include <stdio.h>

/* Every operation on every width; the values wrap and change their signs. */
#define TEST(type, plain)                                                                  \
    static void test_##type(void) {                                                        \
        atomic_##type x = ATOMIC_VAR_INIT(3);                                              \
        plain expected;                                                                    \
        printf(#type " %d:", (int)sizeof x);                                               \
        atomic_init(&x, (plain)-2);                                                        \
        printf(" %lld", (long long)atomic_load(&x));                                       \
        printf(" %lld", (long long)atomic_fetch_add(&x, 5));                               \
        printf(" %lld", (long long)atomic_fetch_sub(&x, 7));                               \
        printf(" %lld", (long long)atomic_fetch_or(&x, 0x55));                             \
        printf(" %lld", (long long)atomic_fetch_and(&x, 0x7e));                            \
        printf(" %lld", (long long)atomic_fetch_xor(&x, -1));                              \
        printf(" %lld", (long long)atomic_exchange(&x, (plain)0x123456789abcdef0));        \
        printf(" %lld", (long long)x);                                                     \
        expected = 1;                                                                      \
        printf(" %d", atomic_compare_exchange_strong(&x, &expected, 9));                   \
        printf(" %lld", (long long)expected);                                              \
        printf(" %d", atomic_compare_exchange_strong(&x, &expected, 9));                   \
        printf(" %lld", (long long)x);                                                     \
        expected = 9;                                                                      \
        while (!atomic_compare_exchange_weak(&x, &expected, (plain)-1))                    \
            ;                                                                              \
        printf(" %lld", (long long)atomic_fetch_add_explicit(&x, 1, memory_order_relaxed)); \
        printf(" %lld", (long long)atomic_load_explicit(&x, memory_order_acquire));        \
        atomic_store_explicit(&x, 100, memory_order_release);                              \
        atomic_store(&x, x + 100);                                                         \
        printf(" %lld", (long long)atomic_exchange_explicit(&x, 1, memory_order_acq_rel)); \
        printf(" %lld", (long long)x++);                                                   \
        printf(" %lld", (long long)--x);                                                   \
        printf(" %lld", (long long)(x -= 3));                                              \
        printf(" %lld", (long long)(x *= 100));                                            \
        printf(" %lld", (long long)(x /= 7));                                              \
        printf(" %lld", (long long)(x <<= 3));                                             \
        printf(" %lld", (long long)(x >>= 1));                                             \
        printf(" %lld", (long long)(x %= 50));                                             \
        printf(" %lld", (long long)(x |= 0x81));                                           \
        printf(" %lld", (long long)(x ^= 0xf0));                                           \
        printf(" %lld\n", (long long)(x &= ~1));                                           \
    }

TEST(char, char)
TEST(schar, signed char)
TEST(uchar, unsigned char)
TEST(short, short)
TEST(ushort, unsigned short)
TEST(int, int)
TEST(uint, unsigned)
TEST(long, long)
TEST(ulong, unsigned long)
TEST(llong, long long)
TEST(ullong, unsigned long long)

int main(void) {
    test_char();
    test_schar();
    test_uchar();
    test_short();
    test_ushort();
    test_int();
    test_uint();
    test_long();
    test_ulong();
    test_llong();
    test_ullong();
    atomic_bool flag = 0;
    printf("%d", atomic_exchange(&flag, 2));
    printf(" %d", atomic_load(&flag));
    flag ^= 1;
    printf(" %d\n", flag);
    atomic_flag lock = ATOMIC_FLAG_INIT;
    printf("%d", atomic_flag_test_and_set(&lock));
    printf(" %d", atomic_flag_test_and_set_explicit(&lock, memory_order_acquire));
    atomic_flag_clear(&lock);
    printf(" %d\n", atomic_flag_test_and_set(&lock));
    atomic_flag_clear_explicit(&lock, memory_order_release);
    _Atomic(double) real = 1.5;
    atomic_store(&real, real + 2);
    printf("%g", real);
    printf(" %g", atomic_load(&real));
    printf(" %g\n", atomic_exchange(&real, -1));
    int array[4] = {1, 2, 3, 4};
    int *_Atomic pointer = array;
    pointer++;
    pointer += 2;
    printf("%d", *pointer);
    printf(" %d\n", *atomic_exchange(&pointer, array));
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_acquire);
    return 0;
}
