/* What a program can tell Raddle. With any other compiler these do nothing. */
#ifndef RADDLE_H
#define RADDLE_H
#ifdef __cplusplus
extern "C" {
#endif
#ifdef __RADDLE__
/* What happens between the two is meant to be atomic; raddle predict looks whether it is, and
   raddle infer --transactions takes it for one iteration. */
void raddle_begin_atomic(const char *name);
void raddle_end_atomic(void);
/* The result of the program is in this variable, or in these bytes. */
#define raddle_focus(variable) raddle_focus_on(&(variable), sizeof(variable))
void raddle_focus_on(const void *at, unsigned long size);
/* What a thread does between the two is one iteration of a coforeach, or one branch of a cobegin:
   for threads that do several, because they come from a pool or meet at barriers. Iterations of
   one region with one instance number may come in any order; regions come one after the other. */
void raddle_begin_iteration(const char *region, long instance);
void raddle_end_iteration(void);
/* if(*): the sequential specification may leave out the statement behind it. Write it among the
   statements of a block:   raddle_if_star { ... } */
#define raddle_if_star raddle_may_skip_next();
void raddle_may_skip_next(void);
#else
#define raddle_begin_atomic(name) ((void)0)
#define raddle_end_atomic() ((void)0)
#define raddle_focus(variable) ((void)0)
#define raddle_focus_on(at, size) ((void)0)
#define raddle_begin_iteration(region, instance) ((void)0)
#define raddle_end_iteration() ((void)0)
#define raddle_if_star
#endif
#ifdef __cplusplus
}
#endif
#endif
