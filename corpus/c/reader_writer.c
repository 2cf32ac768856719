/* reader_writer: a reader and a writer of a pair, the lock is a mutex and a count of readers.
 *
 * threads:  3
 * bug:      the writer sees that there are no readers, but writes after it has given the mutex back
 * kinds:    race, atomicity, assertion
 * predict:  race
 * bound:    1
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main    creates reader and writer, blocks in the join of reader
 *   writer  lock, readers is 0, unlock, first = 1
 *           -- preemption 1 --
 *   reader  begin_read, reads first = 1 and second = 0, end_read: 1 != 0
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

static void *write_pair(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    while (readers > 0)
        pthread_cond_wait(&no_readers, &mutex);
    pthread_mutex_unlock(&mutex);
    first = 1;
    second = 1;
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
