#include <stdio.h>

int main(void) {
    int n = 10;
    printf("%d ", __sync_fetch_and_add(&n, 5));
    printf("%d ", __sync_add_and_fetch(&n, 5));
    printf("%d ", __sync_fetch_and_sub(&n, 1));
    printf("%d ", __sync_sub_and_fetch(&n, 1));
    printf("%d ", __sync_fetch_and_or(&n, 1));
    printf("%d ", __sync_and_and_fetch(&n, 0x11));
    printf("%d ", __sync_xor_and_fetch(&n, 3));
    printf("%d\n", n);
    printf("%d ", __sync_bool_compare_and_swap(&n, 18, 1));
    printf("%d ", __sync_val_compare_and_swap(&n, n, 2));
    printf("%d\n", n);
    int lock = 0;
    printf("%d ", __sync_lock_test_and_set(&lock, 1));
    printf("%d ", __sync_lock_test_and_set(&lock, 1));
    __sync_lock_release(&lock);
    printf("%d\n", lock);
    __sync_synchronize();
    long long wide = 1LL << 40;
    printf("%lld\n", __sync_add_and_fetch(&wide, 1));
    unsigned char byte = 255;
    printf("%d ", __sync_fetch_and_add(&byte, 1));
    printf("%d\n", byte);
    return 0;
}
