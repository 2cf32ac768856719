/* reader_writer_fixed: a reader and a writer of a pair, the writer writes while it has the mutex.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * predict:  none
 * bound:    -
 * verdict:  clean
 */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t no_readers = PTHREAD_COND_INITIALIZER;
static int readers; /* guarded by mutex */

/* Equal whenever nobody writes. */
static int first, second;

static void begin_read(void)
{
    pthread_mutex_lock(&mutex);
    readers++;
    pthread_mutex_unlock(&mutex);
}

static void end_read(void)
{
    pthread_mutex_lock(&mutex);
    if (--readers == 0)
        pthread_cond_signal(&no_readers);
    pthread_mutex_unlock(&mutex);
}

static void *read_pair(void *unused)
{
    (void)unused;
    begin_read();
    int seen_first = first;
    int seen_second = second;
    end_read();
    assert(seen_first == seen_second);
    return NULL;
}

/* The writer keeps the mutex, so that no reader can begin before it is done. */
static void *write_pair(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    while (readers > 0)
        pthread_cond_wait(&no_readers, &mutex);
    first = 1;
    second = 1;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t reader, writer;

    pthread_create(&reader, NULL, read_pair, NULL);
    pthread_create(&writer, NULL, write_pair, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);

    assert(first == 1 && second == 1);
    return 0;
}
