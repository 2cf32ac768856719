/* What a program can tell Raddle. With any other compiler these do nothing. */
#ifndef RADDLE_H
#define RADDLE_H
#ifdef __RADDLE__
/* What happens between the two is meant to be atomic; raddle predict looks whether it is. */
void raddle_begin_atomic(const char *name);
void raddle_end_atomic(void);
#else
#define raddle_begin_atomic(name) ((void)0)
#define raddle_end_atomic() ((void)0)
#endif
#endif
