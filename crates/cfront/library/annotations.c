/* The functions of <raddle.h>. */
#include "primitives.h"
#include <raddle.h>

void raddle_begin_atomic(const char *name) { __raddle_transaction_begin(name); }
void raddle_end_atomic(void) { __raddle_transaction_end(); }
