#include <stdio.h>

int main(void) {
    int n = 3, expected = 4, value;
    __atomic_store_n(&n, 8, __ATOMIC_RELEASE);
    printf("%d ", __atomic_load_n(&n, __ATOMIC_ACQUIRE));
    printf("%d ", __atomic_exchange_n(&n, 9, __ATOMIC_SEQ_CST));
    printf("%d ", __atomic_compare_exchange_n(&n, &expected, 1, 0, __ATOMIC_SEQ_CST,
                                              __ATOMIC_RELAXED));
    printf("%d ", expected);
    printf("%d ", __atomic_compare_exchange_n(&n, &expected, 1, 0, __ATOMIC_SEQ_CST,
                                              __ATOMIC_RELAXED));
    printf("%d\n", n);
    printf("%d %d\n", __atomic_add_fetch(&n, 5, __ATOMIC_RELAXED),
           __atomic_fetch_or(&(int){6}, 1, __ATOMIC_SEQ_CST));
    __atomic_load(&n, &value, __ATOMIC_SEQ_CST);
    printf("%d ", value);
    value = 70;
    __atomic_store(&n, &value, __ATOMIC_SEQ_CST);
    printf("%d\n", n);
    _Bool flag = 0;
    printf("%d ", __atomic_test_and_set(&flag, __ATOMIC_SEQ_CST));
    printf("%d ", __atomic_test_and_set(&flag, __ATOMIC_SEQ_CST));
    __atomic_clear(&flag, __ATOMIC_SEQ_CST);
    printf("%d\n", flag);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return 0;
}
