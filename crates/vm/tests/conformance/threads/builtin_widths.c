#include <stdio.h>

/* Every builtin on every width. */
#define OPERATION(name, plain)                                                  \
    x = (plain)0xf1e2d3c4b5a69788;                                              \
    printf(" " #name " %lld", (long long)__sync_fetch_and_##name(&x, 0x35));    \
    printf(" %lld", (long long)__sync_##name##_and_fetch(&x, (plain)0x7b7a79)); \
    printf(" %lld", (long long)__atomic_fetch_##name(&x, 0x1c, __ATOMIC_SEQ_CST)); \
    printf(" %lld", (long long)__atomic_##name##_fetch(&x, (plain)-9, __ATOMIC_RELAXED)); \
    printf(" %lld\n", (long long)x);

#define TEST(name, plain)                                                                   \
    static void test_##name(void) {                                                         \
        plain x, expected = 1, other = 2, result;                                           \
        puts(#name);                                                                        \
        OPERATION(add, plain)                                                               \
        OPERATION(sub, plain)                                                               \
        OPERATION(and, plain)                                                               \
        OPERATION(or, plain)                                                                \
        OPERATION(xor, plain)                                                               \
        OPERATION(nand, plain)                                                              \
        x = (plain)-5;                                                                      \
        printf(" %d", __sync_bool_compare_and_swap(&x, 5, 6));                              \
        printf(" %d", __sync_bool_compare_and_swap(&x, (plain)-5, 6));                      \
        printf(" %lld", (long long)__sync_val_compare_and_swap(&x, 6, (plain)200));         \
        printf(" %lld", (long long)__sync_val_compare_and_swap(&x, 6, 7));                  \
        printf(" %lld", (long long)__sync_lock_test_and_set(&x, 9));                        \
        __sync_lock_release(&x);                                                            \
        printf(" %lld", (long long)x);                                                      \
        __sync_synchronize();                                                               \
        __atomic_store_n(&x, (plain)-3, __ATOMIC_RELEASE);                                  \
        printf(" %lld", (long long)__atomic_load_n(&x, __ATOMIC_ACQUIRE));                  \
        printf(" %lld", (long long)__atomic_exchange_n(&x, 77, __ATOMIC_ACQ_REL));          \
        printf(" %d", __atomic_compare_exchange_n(&x, &expected, 5, 0, 5, 5));              \
        printf(" %lld", (long long)expected);                                               \
        printf(" %d", __atomic_compare_exchange(&x, &expected, &other, 0, 5, 0));           \
        __atomic_load(&x, &result, __ATOMIC_SEQ_CST);                                       \
        printf(" %lld", (long long)result);                                                 \
        other = (plain)-7;                                                                  \
        __atomic_exchange(&x, &other, &result, __ATOMIC_SEQ_CST);                           \
        printf(" %lld", (long long)result);                                                 \
        other = 31;                                                                         \
        __atomic_store(&x, &other, __ATOMIC_SEQ_CST);                                       \
        printf(" %lld\n", (long long)x);                                                    \
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
    printf("%d %d", __atomic_always_lock_free(4, 0), __atomic_is_lock_free(8, 0));
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return 0;
}
