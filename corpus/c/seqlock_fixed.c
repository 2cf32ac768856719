/* seqlock_fixed: a reader copies a pair without a lock and tries again if a writer came in between.
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
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static struct {
    atomic_uint sequence; /* odd while somebody writes */
    atomic_int left, right; /* their sum is 0 while nobody writes */
} pair;

static void write_pair(int value)
{
    pair.sequence++;
    pair.left = value;
    pair.right = -value;
    pair.sequence++;
}

static int sum_of_pair(void)
{
    for (;;) {
        unsigned sequence = pair.sequence;
        if (sequence % 2 == 0) {
            int left = pair.left, right = pair.right;
            if (pair.sequence == sequence)
                return left + right;
        }
        sched_yield();
    }
}

static void *read_it(void *unused)
{
    (void)unused;
    assert(sum_of_pair() == 0);
    return NULL;
}

static void *write_it(void *unused)
{
    (void)unused;
    write_pair(1);
    return NULL;
}

int main(void)
{
    pthread_t reader, writer;

    pthread_create(&reader, NULL, read_it, NULL);
    pthread_create(&writer, NULL, write_it, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    return 0;
}
