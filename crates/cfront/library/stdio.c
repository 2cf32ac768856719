/* Streams. Every call that prints does it with one write, so that calls are atomic with respect
   to each other as POSIX asks for; nothing is buffered. */
#include "internal.h"
#include <err.h>
#include <error.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct _IO_FILE input = {.fd = 0};
static struct _IO_FILE output = {.fd = 1};
static struct _IO_FILE error_output = {.fd = 2};
FILE *stdin = &input;
FILE *stdout = &output;
FILE *stderr = &error_output;

#define FIRST_ROOM 128

void __raddle_lib_look_at(const void *from, size_t size) {
    const unsigned char *at = from;
    unsigned char last = 0;
    while (size--)
        last = *at++;
    (void)last;
}

static int write_all(FILE *stream, const char *bytes, size_t length) {
    if (stream->fd == 0) {
        errno = EBADF;
        stream->failed = 1;
        return -1;
    }
    if (length && __raddle_write(stream->fd, bytes, length) < 0) {
        stream->failed = 1;
        return -1;
    }
    return 0;
}

static int print(FILE *stream, const char *format, struct __raddle_lib_arguments *arguments) {
    char first[FIRST_ROOM];
    struct __raddle_lib_sink sink = {first, FIRST_ROOM, 0, 1, 0};
    int result;
    __raddle_lib_format(&sink, format, arguments);
    result = write_all(stream, sink.bytes, sink.length) ? -1 : (int)sink.length;
    if (sink.on_heap)
        __raddle_free(sink.bytes);
    return result;
}

/* Evaluates an expression with the arguments after `last`. */
#define WITH_ARGUMENTS(last, result, call)      \
    struct __raddle_lib_arguments arguments;    \
    result;                                     \
    va_start(arguments.list, last);             \
    call;                                       \
    va_end(arguments.list)

int vfprintf(FILE *restrict stream, const char *restrict format, va_list list) {
    struct __raddle_lib_arguments arguments;
    int result;
    va_copy(arguments.list, list);
    result = print(stream, format, &arguments);
    va_end(arguments.list);
    return result;
}

int vprintf(const char *restrict format, va_list list) {
    return vfprintf(stdout, format, list);
}

int printf(const char *restrict format, ...) {
    WITH_ARGUMENTS(format, int result, result = print(stdout, format, &arguments));
    return result;
}

int fprintf(FILE *restrict stream, const char *restrict format, ...) {
    WITH_ARGUMENTS(format, int result, result = print(stream, format, &arguments));
    return result;
}

static FILE *stream_of(int fd) {
    if (fd < 1 || fd > 2)
        __raddle_unsupported("dprintf on a file");
    return fd == 1 ? &output : &error_output;
}

int vdprintf(int fd, const char *restrict format, va_list list) {
    return vfprintf(stream_of(fd), format, list);
}

int dprintf(int fd, const char *restrict format, ...) {
    WITH_ARGUMENTS(format, int result, result = print(stream_of(fd), format, &arguments));
    return result;
}

static int print_into(char *to, size_t room, const char *format,
                      struct __raddle_lib_arguments *arguments) {
    struct __raddle_lib_sink sink = {to, room ? room - 1 : 0, 0, 0, 0};
    __raddle_lib_format(&sink, format, arguments);
    if (room)
        to[sink.length < room ? sink.length : room - 1] = 0;
    return (int)sink.length;
}

int vsnprintf(char *restrict to, size_t room, const char *restrict format, va_list list) {
    struct __raddle_lib_arguments arguments;
    int result;
    va_copy(arguments.list, list);
    result = print_into(to, room, format, &arguments);
    va_end(arguments.list);
    return result;
}

int vsprintf(char *restrict to, const char *restrict format, va_list list) {
    return vsnprintf(to, INT_MAX, format, list);
}

int snprintf(char *restrict to, size_t room, const char *restrict format, ...) {
    WITH_ARGUMENTS(format, int result, result = print_into(to, room, format, &arguments));
    return result;
}

int sprintf(char *restrict to, const char *restrict format, ...) {
    WITH_ARGUMENTS(format, int result, result = print_into(to, INT_MAX, format, &arguments));
    return result;
}

static int print_new(char **to, const char *format, struct __raddle_lib_arguments *arguments) {
    char first[FIRST_ROOM];
    struct __raddle_lib_sink sink = {first, FIRST_ROOM, 0, 1, 0};
    char *text;
    __raddle_lib_format(&sink, format, arguments);
    text = __raddle_malloc(sink.length + 1, 1);
    if (text) {
        __builtin_memcpy(text, sink.bytes, sink.length);
        text[sink.length] = 0;
        *to = text;
    }
    if (sink.on_heap)
        __raddle_free(sink.bytes);
    return text ? (int)sink.length : -1;
}

int vasprintf(char **restrict to, const char *restrict format, va_list list) {
    struct __raddle_lib_arguments arguments;
    int result;
    va_copy(arguments.list, list);
    result = print_new(to, format, &arguments);
    va_end(arguments.list);
    return result;
}

int asprintf(char **restrict to, const char *restrict format, ...) {
    WITH_ARGUMENTS(format, int result, result = print_new(to, format, &arguments));
    return result;
}

int fputs(const char *restrict string, FILE *restrict stream) {
    return write_all(stream, string, strlen(string)) ? EOF : 1;
}

int puts(const char *string) {
    return printf("%s\n", string) < 0 ? EOF : 1;
}

int fputc(int byte, FILE *stream) {
    char c = (char)byte;
    return write_all(stream, &c, 1) ? EOF : (unsigned char)c;
}

int putc(int byte, FILE *stream) {
    return fputc(byte, stream);
}

int putchar(int byte) {
    return fputc(byte, stdout);
}

int _IO_putc(int byte, FILE *stream) {
    return fputc(byte, stream);
}

int fputc_unlocked(int byte, FILE *stream) {
    return fputc(byte, stream);
}

int putc_unlocked(int byte, FILE *stream) {
    return fputc(byte, stream);
}

int putchar_unlocked(int byte) {
    return fputc(byte, stdout);
}

int fputs_unlocked(const char *restrict string, FILE *restrict stream) {
    return fputs(string, stream);
}

size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict stream) {
    __raddle_lib_look_at(from, size * count);
    return size && count && !write_all(stream, from, size * count) ? count : 0;
}

void perror(const char *message) {
    if (message && *message)
        fprintf(stderr, "%s: %s\n", message, strerror(errno));
    else
        fprintf(stderr, "%s\n", strerror(errno));
}

int fflush(FILE *stream) {
    (void)stream;
    return 0;
}

int fflush_unlocked(FILE *stream) {
    (void)stream;
    return 0;
}

void setbuf(FILE *restrict stream, char *restrict buffer) {
    (void)stream;
    (void)buffer;
}

void setlinebuf(FILE *stream) {
    (void)stream;
}

int setvbuf(FILE *restrict stream, char *restrict buffer, int mode, size_t size) {
    (void)stream;
    (void)buffer;
    (void)size;
    return mode == _IOFBF || mode == _IOLBF || mode == _IONBF ? 0 : -1;
}

/* The next byte of a stream, pushed back or read. */
int __raddle_lib_next_byte(FILE *stream) {
    unsigned char byte;
    int result;
    if (stream->fd != 0) {
        errno = EBADF;
        stream->failed = 1;
        return EOF;
    }
    __raddle_atomic_begin();
    if (stream->n_pushed)
        result = stream->pushed[--stream->n_pushed];
    else if (__raddle_read(0, &byte, 1) == 1)
        result = byte;
    else {
        stream->ended = 1;
        result = EOF;
    }
    __raddle_atomic_end();
    return result;
}

int fgetc(FILE *stream) {
    return __raddle_lib_next_byte(stream);
}

int getc(FILE *stream) {
    return __raddle_lib_next_byte(stream);
}

int _IO_getc(FILE *stream) {
    return __raddle_lib_next_byte(stream);
}

int getc_unlocked(FILE *stream) {
    return __raddle_lib_next_byte(stream);
}

int getchar(void) {
    return __raddle_lib_next_byte(stdin);
}

int getchar_unlocked(void) {
    return __raddle_lib_next_byte(stdin);
}

int ungetc(int byte, FILE *stream) {
    int result = EOF;
    if (byte == EOF)
        return EOF;
    __raddle_atomic_begin();
    if (stream->n_pushed < (int)sizeof stream->pushed) {
        stream->pushed[stream->n_pushed++] = (unsigned char)byte;
        stream->ended = 0;
        result = (unsigned char)byte;
    }
    __raddle_atomic_end();
    return result;
}

char *fgets(char *restrict to, int room, FILE *restrict stream) {
    int length = 0;
    while (length < room - 1) {
        int byte = __raddle_lib_next_byte(stream);
        if (byte == EOF)
            break;
        to[length++] = (char)byte;
        if (byte == '\n')
            break;
    }
    if (length == 0)
        return 0;
    to[length] = 0;
    return to;
}

ssize_t getdelim(char **restrict line, size_t *restrict room, int delimiter,
                 FILE *restrict stream) {
    size_t length = 0;
    if (!line || !room) {
        errno = EINVAL;
        return -1;
    }
    for (;;) {
        int byte = __raddle_lib_next_byte(stream);
        if (byte == EOF)
            break;
        if (!*line || length + 2 > *room) {
            size_t larger = *line && *room ? 2 * *room : 120;
            char *longer = realloc(*line, larger);
            if (!longer)
                return -1;
            *line = longer;
            *room = larger;
        }
        (*line)[length++] = (char)byte;
        if (byte == delimiter)
            break;
    }
    if (length == 0)
        return -1;
    (*line)[length] = 0;
    return length;
}

ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict stream) {
    return getdelim(line, room, '\n', stream);
}

size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict stream) {
    size_t length = 0;
    if (!size || !count)
        return 0;
    while (length < size * count) {
        int byte = __raddle_lib_next_byte(stream);
        if (byte == EOF)
            break;
        ((char *)to)[length++] = (char)byte;
    }
    return length / size;
}

int fileno(FILE *stream) {
    return stream->fd;
}

int ferror(FILE *stream) {
    return stream->failed;
}

int feof(FILE *stream) {
    return stream->ended;
}

void clearerr(FILE *stream) {
    stream->failed = 0;
    stream->ended = 0;
}

/* A lock per stream, as flockfile promises; single calls are atomic without it. */
static char stream_locks[3][40] __attribute__((__aligned__(8)));
static _Bool stream_locks_ready[3];

static void *lock_of(FILE *stream) {
    void *lock = stream_locks[stream->fd];
    __raddle_atomic_begin();
    if (!stream_locks_ready[stream->fd]) {
        __raddle_mutex_init(lock, 1);
        stream_locks_ready[stream->fd] = 1;
    }
    __raddle_atomic_end();
    return lock;
}

void flockfile(FILE *stream) {
    __raddle_mutex_lock(lock_of(stream));
}

int ftrylockfile(FILE *stream) {
    return __raddle_mutex_try_lock(lock_of(stream));
}

void funlockfile(FILE *stream) {
    __raddle_mutex_unlock(lock_of(stream));
}

int fclose(FILE *stream) {
    (void)stream;
    return 0;
}

/* "message: error" or "message", with the program's name in front as <err.h> has it. */
static void complain(const char *format, struct __raddle_lib_arguments *arguments, int number) {
    char *message = 0;
    if (format && print_new(&message, format, arguments) < 0)
        return;
    if (number)
        fprintf(stderr, "program: %s%s%s\n", message ? message : "", message ? ": " : "",
                strerror(number));
    else
        fprintf(stderr, "program: %s\n", message ? message : "");
    if (message)
        __raddle_free(message);
}

void warn(const char *format, ...) {
    WITH_ARGUMENTS(format, int number = errno, complain(format, &arguments, number));
}

void warnx(const char *format, ...) {
    WITH_ARGUMENTS(format, , complain(format, &arguments, 0));
}

void err(int status, const char *format, ...) {
    WITH_ARGUMENTS(format, int number = errno, complain(format, &arguments, number));
    exit(status);
}

void errx(int status, const char *format, ...) {
    WITH_ARGUMENTS(format, , complain(format, &arguments, 0));
    exit(status);
}

void error(int status, int number, const char *format, ...) {
    WITH_ARGUMENTS(format, , complain(format, &arguments, number));
    if (status)
        exit(status);
}
