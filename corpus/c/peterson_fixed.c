/* peterson_fixed: two threads count, with Peterson's algorithm for mutual exclusion.
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
#include <stdbool.h>
#include <stddef.h>

static atomic_bool wants[2];
static atomic_int turn;
static int count; /* only who has entered uses it */

static void enter(int self)
{
    int other = 1 - self;

    wants[self] = true;
    turn = other;
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
