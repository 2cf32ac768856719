#ifndef RADDLE_ERROR_H
#define RADDLE_ERROR_H
void error(int status, int number, const char *, ...);
#endif
