/* work_steal_3_fixed: a worker takes tasks from its deque, in doubt with the mutex of the thieves.
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
#include <stdatomic.h>
#include <stddef.h>

#define N_TASKS 2
#define NOTHING (-1)

enum who { WORKER, THIEF };

static struct {
    pthread_mutex_t mutex; /* held by thieves, and by the worker in case of doubt */
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
    if (deque.head > tail) { /* a thief wants the same task: whoever has the mutex decides */
        deque.tail = tail + 1;
        pthread_mutex_lock(&deque.mutex);
        deque.tail = tail;
        if (deque.head > tail) {
            deque.tail = tail + 1;
            pthread_mutex_unlock(&deque.mutex);
            return NOTHING;
        }
        pthread_mutex_unlock(&deque.mutex);
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
