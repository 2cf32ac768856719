/* peterson: two threads count, with Peterson's algorithm for mutual exclusion.
 *
 * threads:  3
 * bug:      a thread gives way before it says that it wants to enter, both enter
 * kinds:    race, atomicity, assertion
 * predict:  race
 * bound:    2
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main  creates ann (0) and ben (1), blocks in the join of ann
 *   ann   turn = 1
 *         -- preemption 1 --
 *   ben   turn = 0; wants[1] = true; wants[0] is false: enters; reads count 0
 *         -- preemption 2 --
 *   ann   wants[0] = true; wants[1] is true, but turn is 0: enters; count = 1; leaves; exits
 *   ben   count = 1; leaves; exits
 *   main  joins both; assert(count == 2) fails
 */

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_bool wants[2];
static atomic_int turn;
static int count; /* only who has entered uses it */

static void enter(int self)
{
    int other = 1 - self;

    turn = other;
    wants[self] = true;
    while (wants[other] && turn == other)
        sched_yield();
}

static void leave(int self)
{
    wants[self] = false;
}

static void *add(void *self_ptr)
{
    int self = *(int *)self_ptr;

    enter(self);
    count++;
    leave(self);
    return NULL;
}

int main(void)
{
    pthread_t ann, ben;
    int selves[2] = {0, 1};

    pthread_create(&ann, NULL, add, &selves[0]);
    pthread_create(&ben, NULL, add, &selves[1]);
    pthread_join(ann, NULL);
    pthread_join(ben, NULL);

    assert(count == 2);
    return 0;
}
