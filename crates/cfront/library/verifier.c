/* What programs from the Competition on Software Verification take for granted. */
#include "internal.h"
#include <stdint.h>
#include <stdlib.h>

void reach_error(void) {
    __raddle_reach_error();
}

void __VERIFIER_error(void) {
    __raddle_reach_error();
}

void __VERIFIER_assert(int condition) {
    if (!condition)
        __raddle_reach_error();
}

void __VERIFIER_assume(int condition) {
    __raddle_assume(condition);
}

void assume_abort_if_not(int condition) {
    __raddle_assume(condition);
}

void __VERIFIER_atomic_begin(void) {
    __raddle_atomic_begin();
}

void __VERIFIER_atomic_end(void) {
    __raddle_atomic_end();
}

#define NONDET(type, name, primitive) \
    type __VERIFIER_nondet_##name(void) { return __raddle_nondet_##primitive(); }

NONDET(_Bool, bool, bool)
NONDET(_Bool, _Bool, bool)
NONDET(char, char, char)
NONDET(signed char, schar, schar)
NONDET(unsigned char, uchar, uchar)
NONDET(unsigned char, unsigned_char, uchar)
NONDET(short, short, short)
NONDET(unsigned short, ushort, ushort)
NONDET(int, int, int)
NONDET(unsigned, uint, uint)
NONDET(unsigned, unsigned, uint)
NONDET(unsigned, unsigned_int, uint)
NONDET(long, long, long)
NONDET(unsigned long, ulong, ulong)
NONDET(long long, longlong, longlong)
NONDET(unsigned long long, ulonglong, ulonglong)
NONDET(float, float, float)
NONDET(double, double, double)
NONDET(void *, pointer, pointer)
NONDET(long long, loff_t, longlong)
NONDET(unsigned long, sector_t, ulong)
NONDET(size_t, size_t, ulong)
NONDET(unsigned long, pthread_t, ulong)
NONDET(int8_t, int8_t, schar)
NONDET(uint8_t, uint8_t, uchar)
NONDET(int16_t, int16_t, short)
NONDET(uint16_t, uint16_t, ushort)
NONDET(int32_t, int32_t, int)
NONDET(uint32_t, uint32_t, uint)
NONDET(int64_t, int64_t, longlong)
NONDET(uint64_t, uint64_t, ulonglong)
NONDET(signed char, s8, schar)
NONDET(unsigned char, u8, uchar)
NONDET(short, s16, short)
NONDET(unsigned short, u16, ushort)
NONDET(int, s32, int)
NONDET(unsigned, u32, uint)
NONDET(char *, charp, pointer)
NONDET(const char *, const_char_pointer, pointer)

/* Fills memory with any bytes. */
void __VERIFIER_nondet_memory(void *memory, size_t size) {
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)memory)[i] = __raddle_nondet_uchar();
}
