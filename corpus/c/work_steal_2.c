/* work_steal_2: a worker takes tasks from its deque (as in Cilk), a thief takes from the other end.
 *
 * threads:  3
 * bug:      worker and thief both give way without the mutex, a task stays in the deque
 * kinds:    atomicity, assertion
 * predict:  none
 * bound:    2
 * verdict:  fails
 */

/* Tasks `head` to `tail` - 1 are in the deque. A failing interleaving:
 *
 *   main    pushes tasks 0 and 1; creates worker and thief, blocks in the join of worker
 *   worker  pop: takes task 1; pop: tail = 0
 *           -- preemption 1 --
 *   thief   steal: locks, head = 1, tail is 0: the worker wants task 0
 *           -- preemption 2 --
 *   worker  head is 1: the thief wants task 0; tail = 1; takes nothing; exits
 *   thief   head = 0, unlocks; takes nothing; exits
 *   main    joins both; assert(ran == 1) fails for task 0
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define N_TASKS 2
#define NOTHING (-1)

enum who { WORKER, THIEF };

static struct {
    pthread_mutex_t mutex; /* held by thieves */
    atomic_int head;       /* only whoever holds the mutex changes it */
    atomic_int tail;       /* only the worker changes it */
    int tasks[N_TASKS];
} deque = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int runs[2][N_TASKS]; /* runs[who] belongs to that thread until the join */

static void push(int task)
{
    int tail = deque.tail;

    deque.tasks[tail] = task;
    deque.tail = tail + 1;
}

static int pop(void)
{
    int tail = deque.tail - 1;

    deque.tail = tail;
    if (deque.head > tail) {
        deque.tail = tail + 1;
        return NOTHING;
    }
    return deque.tasks[tail];
}

/* A thief claims first and looks then, as it does not know what the worker is doing. */
static int steal(void)
{
    int task = NOTHING;

    pthread_mutex_lock(&deque.mutex);
    int head = deque.head;
    deque.head = head + 1;
    if (head + 1 > deque.tail)
        deque.head = head;
    else
        task = deque.tasks[head];
    pthread_mutex_unlock(&deque.mutex);
    return task;
}

static void *work(void *unused)
{
    int task;

    (void)unused;
    while ((task = pop()) != NOTHING)
        runs[WORKER][task]++;
    return NULL;
}

static void *rob(void *unused)
{
    int task = steal();

    (void)unused;
    if (task != NOTHING)
        runs[THIEF][task]++;
    return NULL;
}

int main(void)
{
    pthread_t worker, thief;

    for (int task = 0; task < N_TASKS; task++)
        push(task);
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&thief, NULL, rob, NULL);
    pthread_join(worker, NULL);
    pthread_join(thief, NULL);

    for (int task = 0; task < N_TASKS; task++) {
        int ran = runs[WORKER][task] + runs[THIEF][task];
        assert(ran == 1);
    }
    return 0;
}
