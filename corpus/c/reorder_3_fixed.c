/* reorder_3_fixed: two threads set a pair of variables with a lock, a third one checks it.
 *
 * threads:  4
 * bug:      none
 * kinds:    none
 * predict:  none
 * bound:    -
 * verdict:  clean
 */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef SETTERS
#define SETTERS 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int credit, debit; /* 0 and 0, or 1 and -1; guarded by mutex */

static void *set(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    credit = 1;
    debit = -1;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *check(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    int first = credit, second = debit;
    pthread_mutex_unlock(&mutex);
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
