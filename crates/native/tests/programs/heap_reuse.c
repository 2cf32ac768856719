// expect: exited 0
// output: done
// Many blocks of many sizes, allocated and freed by all threads in all ways: none of them is
// taken for memory that was freed, and all have what was put there.
#define _GNU_SOURCE
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_THREADS = 3, N_ROUNDS = 4000, N_KEPT = 16 };

static void *take(unsigned how, size_t size) {
    void *block = 0;
    switch (how % 6) {
    case 0: return malloc(size);
    case 1:
        block = calloc(size, 1);
        for (size_t i = 0; i < size; i++) assert(((char *)block)[i] == 0);
        return block;
    case 2: return memalign(64, size);
    case 3: assert(posix_memalign(&block, 256, size) == 0); return block;
    case 4: return aligned_alloc(32, size);
    default: return reallocarray(0, size, 1);
    }
}

static void *work(void *argument) {
    unsigned random = (unsigned)(uintptr_t)argument;
    unsigned char *kept[N_KEPT] = {0};
    size_t sizes[N_KEPT] = {0};
    for (int round = 0; round < N_ROUNDS; round++) {
        random = random * 1103515245 + 12345;
        unsigned at = random >> 16 & (N_KEPT - 1);
        if (kept[at]) {
            for (size_t i = 0; i < sizes[at]; i += 7) assert(kept[at][i] == at);
        }
        if (random >> 20 & 1) {
            free(kept[at]);
            sizes[at] = 1 + (random >> 21) % 300;
            kept[at] = take(random >> 8, sizes[at]);
            assert((uintptr_t)kept[at] % 16 == 0);
        } else {
            size_t old = sizes[at];
            sizes[at] = 1 + (random >> 21) % 700;
            kept[at] = realloc(kept[at], sizes[at]);
            for (size_t i = 0; i < old && i < sizes[at]; i += 7) assert(kept[at][i] == at);
        }
        assert(malloc_usable_size(kept[at]) >= sizes[at]);
        memset(kept[at], at, sizes[at]);
    }
    for (int at = 0; at < N_KEPT; at++) free(kept[at]);
    return 0;
}

int main(void) {
    pthread_t threads[N_THREADS];
    for (uintptr_t i = 0; i < N_THREADS; i++) pthread_create(&threads[i], 0, work, (void *)(i + 1));
    for (int i = 0; i < N_THREADS; i++) pthread_join(threads[i], 0);
    char *large = malloc(40 << 20);
    large[0] = large[(40 << 20) - 1] = 1;
    large = realloc(large, 50 << 20);
    assert(large[0] == 1 && large[(40 << 20) - 1] == 1);
    free(large);
    // Compilers believe to know what comes of this.
    void *volatile small = malloc(3);
    volatile size_t none = 0, most = SIZE_MAX;
    small = realloc(small, none);
    assert(small == 0);
    small = reallocarray(0, most, 2);
    assert(small == 0);
    puts("done");
    return 0;
}
