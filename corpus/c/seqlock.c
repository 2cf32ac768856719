/* seqlock: a reader copies a pair without a lock and tries again if a writer came in between.
 *
 * threads:  3
 * bug:      the sequence is a flag, not a count: a whole update between two looks goes unseen
 * kinds:    atomicity, assertion
 * predict:  none
 * bound:    1
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main    creates reader and writer, blocks in the join of reader
 *   reader  writing is false; left is 0
 *           -- preemption 1 --
 *   writer  writing = true; left = 1; right = -1; writing = false; exits
 *   reader  right is -1; writing is false as before: takes 0 and -1;
 *           assert(sum_of_pair() == 0) fails
 */

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static struct {
    atomic_bool writing;
    atomic_int left, right; /* their sum is 0 while nobody writes */
} pair;

static void write_pair(int value)
{
    pair.writing = true;
    pair.left = value;
    pair.right = -value;
    pair.writing = false;
}

static int sum_of_pair(void)
{
    for (;;) {
        if (!pair.writing) {
            int left = pair.left, right = pair.right;
            if (!pair.writing)
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
