/* What programs written for other checkers take for granted, and `assert` for those that forgot
   the header. */
#include "internal.h"

#undef assert

void assert(int condition) {
    if (!condition)
        __raddle_assert_fail("assertion", "?", 0, "?");
}

void __CPROVER_assert(int condition, const char *message) {
    if (!condition)
        __raddle_assert_fail(message, "?", 0, "?");
}

void __CPROVER_assume(int condition) { __raddle_assume(condition); }
void __CPROVER_atomic_begin(void) { __raddle_atomic_begin(); }
void __CPROVER_atomic_end(void) { __raddle_atomic_end(); }

void __ESBMC_assert(int condition, const char *message) {
    if (!condition)
        __raddle_assert_fail(message, "?", 0, "?");
}

void __ESBMC_assume(int condition) { __raddle_assume(condition); }
void __ESBMC_atomic_begin(void) { __raddle_atomic_begin(); }
void __ESBMC_atomic_end(void) { __raddle_atomic_end(); }
