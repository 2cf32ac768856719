#ifndef RADDLE_LIBGEN_H
#define RADDLE_LIBGEN_H
char *__xpg_basename(char *);
char *dirname(char *);
#define basename __xpg_basename
#endif
