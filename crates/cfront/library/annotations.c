/* The functions of <raddle.h>. */
#include "primitives.h"
#include <raddle.h>

void raddle_begin_atomic(const char *name) { __raddle_transaction_begin(name); }
void raddle_end_atomic(void) { __raddle_transaction_end(); }

/* Whoever records runs sees these calls; they do nothing. */
void raddle_focus_on(const void *at, unsigned long size) { (void)at, (void)size; }
void raddle_begin_iteration(const char *region, long instance) { (void)region, (void)instance; }
void raddle_end_iteration(void) {}
void raddle_may_skip_next(void) {}
