#ifndef RADDLE_ERR_H
#define RADDLE_ERR_H
#include <stdarg.h>
void warn(const char *, ...);
void warnx(const char *, ...);
void err(int, const char *, ...) __attribute__((__noreturn__));
void errx(int, const char *, ...) __attribute__((__noreturn__));
#endif
