#ifndef RADDLE_STDNORETURN_H
#define RADDLE_STDNORETURN_H
#define noreturn _Noreturn
#endif
