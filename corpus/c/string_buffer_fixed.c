/* string_buffer_fixed: a thread appends one string buffer to another, with the locks of both.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * atomic:   append
 * predict:  none
 * bound:    -
 * verdict:  clean
 */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define CAPACITY 8

struct buffer {
    pthread_mutex_t mutex;
    size_t length; /* guarded by mutex, as is text */
    char text[CAPACITY];
};

static struct buffer source = {PTHREAD_MUTEX_INITIALIZER, 3, "abc"};
static struct buffer target = {PTHREAD_MUTEX_INITIALIZER, 0, ""};

static void clear(struct buffer *buffer)
{
    pthread_mutex_lock(&buffer->mutex);
    buffer->length = 0;
    pthread_mutex_unlock(&buffer->mutex);
}

/* Copies the first n bytes of a buffer whose mutex is held. */
static void get_text(struct buffer *buffer, size_t n, char *text)
{
    assert(n <= buffer->length);
    memcpy(text, buffer->text, n);
}

static void append(struct buffer *to, struct buffer *from)
{
    pthread_mutex_lock(&to->mutex);
    pthread_mutex_lock(&from->mutex);
    size_t n = from->length;
    assert(to->length + n <= CAPACITY);
    get_text(from, n, to->text + to->length);
    pthread_mutex_unlock(&from->mutex);
    to->length += n;
    pthread_mutex_unlock(&to->mutex);
}

static void *append_source(void *unused)
{
    (void)unused;
    append(&target, &source);
    return NULL;
}

static void *clear_source(void *unused)
{
    (void)unused;
    clear(&source);
    return NULL;
}

int main(void)
{
    pthread_t appender, cleaner;

    pthread_create(&appender, NULL, append_source, NULL);
    pthread_create(&cleaner, NULL, clear_source, NULL);
    pthread_join(appender, NULL);
    pthread_join(cleaner, NULL);

    assert(target.length == 0 || target.length == 3);
    assert(memcmp(target.text, "abc", target.length) == 0);
    return 0;
}
