#include <stdatomic.h>
#include <stdio.h>

int main(void) {
    atomic_int n = 5;
    printf("%d ", atomic_fetch_add(&n, 3));
    printf("%d ", atomic_fetch_sub(&n, 1));
    printf("%d ", atomic_fetch_or(&n, 8));
    printf("%d ", atomic_fetch_and(&n, 0xc));
    printf("%d ", atomic_fetch_xor(&n, 0xf));
    printf("%d\n", atomic_load(&n));
    printf("%d ", atomic_exchange(&n, 100));
    int expected = 99;
    printf("%d ", atomic_compare_exchange_strong(&n, &expected, 1));
    printf("%d ", expected);
    printf("%d ", atomic_compare_exchange_strong(&n, &expected, 1));
    printf("%d\n", n);
    n += 4;
    n++;
    --n;
    n *= 3;
    printf("%d\n", n);
    atomic_store_explicit(&n, 7, memory_order_release);
    printf("%d\n", atomic_load_explicit(&n, memory_order_acquire));
    atomic_flag flag = ATOMIC_FLAG_INIT;
    printf("%d ", atomic_flag_test_and_set(&flag));
    printf("%d ", atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    printf("%d\n", atomic_flag_test_and_set(&flag));
    atomic_ullong big;
    atomic_init(&big, 1ull << 40);
    atomic_uchar small = 250;
    small += 10;
    printf("%llu %d\n", atomic_fetch_add(&big, 1), small);
    atomic_thread_fence(memory_order_seq_cst);
    return 0;
}
