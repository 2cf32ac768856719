/* reorder_3: two threads set a pair of variables, a third one checks that they belong together.
 *
 * threads:  4
 * bug:      the pair is written in two steps, the checker sees the first without the second
 * kinds:    race, atomicity, assertion
 * predict:  race
 * bound:    1
 * verdict:  fails
 */

/* With more setters there are more interleavings, but not more that fail at bound 1. A failing
 * interleaving:
 *
 *   main      creates all, blocks in the join of setter 0
 *   setter 0  credit = 1
 *             -- preemption 1 --
 *   checker   credit is 1, debit is 0: the assertion fails
 */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef SETTERS
#define SETTERS 2
#endif

static int credit, debit; /* 0 and 0, or 1 and -1 */

static void *set(void *unused)
{
    (void)unused;
    credit = 1;
    debit = -1;
    return NULL;
}

static void *check(void *unused)
{
    (void)unused;
    int first = credit, second = debit;
    assert(first + second == 0);
    return NULL;
}

int main(void)
{
    pthread_t setters[SETTERS], checker;

    for (int i = 0; i < SETTERS; i++)
        pthread_create(&setters[i], NULL, set, NULL);
    pthread_create(&checker, NULL, check, NULL);
    for (int i = 0; i < SETTERS; i++)
        pthread_join(setters[i], NULL);
    pthread_join(checker, NULL);

    assert(credit == 1 && debit == -1);
    return 0;
}
