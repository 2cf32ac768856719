/* transaction_manager: a client renews and commits a transaction, a timer aborts old ones.
 *
 * threads:  3
 * bug:      the timer looks for old transactions and aborts them in two critical sections
 * kinds:    atomicity, assertion
 * atomic:   flush
 * predict:  atomicity
 * bound:    2
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main    begins transactions 1 and 2 with deadline 5; creates client and timer, blocks in the
 *           join of client
 *   timer   the time is 10; flush of bucket 0: locks, transaction 2 is old, unlocks
 *           -- preemption 1 --
 *   client  renew(2): locks, deadline 20, unlocks
 *           -- preemption 2 --
 *   timer   locks, aborts 2, unlocks; flushes bucket 1; exits
 *   client  commit(2): locks, 2 is not there; assert(committed) fails
 */

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define N_BUCKETS 2
#define NOW 10

struct transaction {
    int id;
    int deadline;
    struct transaction *next;
};

static struct bucket {
    pthread_mutex_t mutex;
    struct transaction *first; /* guarded by mutex, as are the transactions */
} table[N_BUCKETS];

static struct bucket *bucket_of(int id)
{
    return &table[id % N_BUCKETS];
}

static void begin(int id, int deadline)
{
    struct transaction *transaction = malloc(sizeof *transaction);
    struct bucket *bucket = bucket_of(id);

    if (!transaction)
        abort();
    transaction->id = id;
    transaction->deadline = deadline;
    pthread_mutex_lock(&bucket->mutex);
    transaction->next = bucket->first;
    bucket->first = transaction;
    pthread_mutex_unlock(&bucket->mutex);
}

/* Takes a transaction out of a bucket, whose mutex is held. */
static bool take_out(struct bucket *bucket, int id)
{
    struct transaction **link = &bucket->first;

    while (*link && (*link)->id != id)
        link = &(*link)->next;
    struct transaction *transaction = *link;
    if (!transaction)
        return false;
    *link = transaction->next;
    free(transaction);
    return true;
}

static bool renew(int id, int deadline)
{
    struct bucket *bucket = bucket_of(id);
    bool found = false;

    pthread_mutex_lock(&bucket->mutex);
    for (struct transaction *t = bucket->first; t; t = t->next) {
        if (t->id == id) {
            t->deadline = deadline;
            found = true;
        }
    }
    pthread_mutex_unlock(&bucket->mutex);
    return found;
}

static bool commit(int id)
{
    struct bucket *bucket = bucket_of(id);

    pthread_mutex_lock(&bucket->mutex);
    bool found = take_out(bucket, id);
    pthread_mutex_unlock(&bucket->mutex);
    return found;
}

/* Aborts an old transaction of a bucket, if there is one. */
static void flush(struct bucket *bucket)
{
    int old = 0;

    pthread_mutex_lock(&bucket->mutex);
    for (struct transaction *t = bucket->first; t; t = t->next)
        if (t->deadline < NOW)
            old = t->id;
    pthread_mutex_unlock(&bucket->mutex);

    if (old) {
        pthread_mutex_lock(&bucket->mutex);
        take_out(bucket, old);
        pthread_mutex_unlock(&bucket->mutex);
    }
}

static void *client(void *unused)
{
    (void)unused;
    if (renew(2, 2 * NOW)) { /* it may be too late for that */
        bool committed = commit(2);
        assert(committed);
    }
    return NULL;
}

static void *timer(void *unused)
{
    (void)unused;
    for (int i = 0; i < N_BUCKETS; i++)
        flush(&table[i]);
    return NULL;
}

int main(void)
{
    pthread_t clients, timers;

    for (int i = 0; i < N_BUCKETS; i++)
        pthread_mutex_init(&table[i].mutex, NULL);
    begin(1, NOW / 2);
    begin(2, NOW / 2);
    pthread_create(&clients, NULL, client, NULL);
    pthread_create(&timers, NULL, timer, NULL);
    pthread_join(clients, NULL);
    pthread_join(timers, NULL);

    assert(!table[0].first && !table[1].first);
    return 0;
}
