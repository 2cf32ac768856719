/* Output on stdout and stderr, input from stdin; there are no other files. */
#ifndef RADDLE_STDIO_H
#define RADDLE_STDIO_H
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>
#ifndef __FILE_defined
#define __FILE_defined 1
struct _IO_FILE;
typedef struct _IO_FILE FILE;
#endif
typedef long fpos_t;
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define L_tmpnam 20
#define TMP_MAX 238328
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr

int printf(const char *restrict format, ...) __attribute__((__format__(__printf__, 1, 2)));
int fprintf(FILE *restrict, const char *restrict format, ...)
    __attribute__((__format__(__printf__, 2, 3)));
int dprintf(int fd, const char *restrict format, ...)
    __attribute__((__format__(__printf__, 2, 3)));
int sprintf(char *restrict, const char *restrict format, ...)
    __attribute__((__format__(__printf__, 2, 3)));
int snprintf(char *restrict, size_t, const char *restrict format, ...)
    __attribute__((__format__(__printf__, 3, 4)));
int asprintf(char **restrict, const char *restrict format, ...)
    __attribute__((__format__(__printf__, 2, 3)));
int vprintf(const char *restrict format, va_list);
int vfprintf(FILE *restrict, const char *restrict format, va_list);
int vdprintf(int fd, const char *restrict format, va_list);
int vsprintf(char *restrict, const char *restrict format, va_list);
int vsnprintf(char *restrict, size_t, const char *restrict format, va_list);
int vasprintf(char **restrict, const char *restrict format, va_list);
int puts(const char *);
int putchar(int);
int putc(int, FILE *);
int fputc(int, FILE *);
int fputs(const char *restrict, FILE *restrict);
size_t fwrite(const void *restrict, size_t size, size_t count, FILE *restrict);
int putchar_unlocked(int);
int putc_unlocked(int, FILE *);
int fputc_unlocked(int, FILE *);
int fputs_unlocked(const char *restrict, FILE *restrict);
int fflush_unlocked(FILE *);
void perror(const char *);
int fflush(FILE *);
void setbuf(FILE *restrict, char *restrict);
void setlinebuf(FILE *);
int setvbuf(FILE *restrict, char *restrict, int mode, size_t);

int scanf(const char *restrict format, ...) __attribute__((__format__(__scanf__, 1, 2)));
int fscanf(FILE *restrict, const char *restrict format, ...)
    __attribute__((__format__(__scanf__, 2, 3)));
int sscanf(const char *restrict, const char *restrict format, ...)
    __attribute__((__format__(__scanf__, 2, 3)));
int vscanf(const char *restrict format, va_list);
int vfscanf(FILE *restrict, const char *restrict format, va_list);
int vsscanf(const char *restrict, const char *restrict format, va_list);
int getchar(void);
int getc(FILE *);
int fgetc(FILE *);
int getchar_unlocked(void);
int getc_unlocked(FILE *);
int ungetc(int, FILE *);
char *fgets(char *restrict, int, FILE *restrict);
ssize_t getline(char **restrict, size_t *restrict, FILE *restrict);
ssize_t getdelim(char **restrict, size_t *restrict, int, FILE *restrict);
size_t fread(void *restrict, size_t size, size_t count, FILE *restrict);

int fileno(FILE *);
int ferror(FILE *);
int feof(FILE *);
void clearerr(FILE *);
void flockfile(FILE *);
int ftrylockfile(FILE *);
void funlockfile(FILE *);

FILE *fopen(const char *restrict path, const char *restrict mode);
FILE *fdopen(int, const char *mode);
FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict);
FILE *tmpfile(void);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *);
int fclose(FILE *);
int fseek(FILE *, long, int whence);
long ftell(FILE *);
void rewind(FILE *);
int remove(const char *path);
int rename(const char *from, const char *to);
#endif
