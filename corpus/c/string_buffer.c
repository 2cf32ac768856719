/* string_buffer: a thread appends one string buffer to another while a third clears it.
 *
 * threads:  3
 * bug:      the length of the source is read in one critical section and its text in another one
 * kinds:    atomicity, assertion
 * atomic:   append
 * predict:  atomicity
 * bound:    1
 * verdict:  fails
 */

/* As in a StringBuffer of early Java, each method is synchronised, but `append` calls two of them.
 * A failing interleaving:
 *
 *   main      the source is "abc"; creates appender and cleaner, blocks in the join of appender
 *   appender  append: locks the target; the length of the source is 3
 *             -- preemption 1 --
 *   cleaner   locks the source, its length becomes 0, unlocks; exits
 *   appender  get_text: locks the source; assert(n <= buffer->length) fails
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

static size_t length_of(struct buffer *buffer)
{
    pthread_mutex_lock(&buffer->mutex);
    size_t length = buffer->length;
    pthread_mutex_unlock(&buffer->mutex);
    return length;
}

static void clear(struct buffer *buffer)
{
    pthread_mutex_lock(&buffer->mutex);
    buffer->length = 0;
    pthread_mutex_unlock(&buffer->mutex);
}

/* Copies the first n bytes. */
static void get_text(struct buffer *buffer, size_t n, char *text)
{
    pthread_mutex_lock(&buffer->mutex);
    assert(n <= buffer->length);
    memcpy(text, buffer->text, n);
    pthread_mutex_unlock(&buffer->mutex);
}

static void append(struct buffer *to, struct buffer *from)
{
    pthread_mutex_lock(&to->mutex);
    size_t n = length_of(from);
    assert(to->length + n <= CAPACITY);
    get_text(from, n, to->text + to->length);
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
