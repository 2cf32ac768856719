/* connection_pool: clients share two connections; a semaphore counts those that are free.
 *
 * threads:  3
 * bug:      the semaphore lets two clients in, which look for a free connection without a lock
 * kinds:    race, atomicity, assertion
 * predict:  race
 * bound:    2
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main  opens the pool; creates ann and ben, blocks in the join of ann
 *   ann   check_out: the semaphore goes from 2 to 1, connection 0 is not in use
 *         -- preemption 1 --
 *   ben   check_out: the semaphore goes from 1 to 0, connection 0 is not in use, takes it; sets the
 *         user of connection 0 to 2
 *         -- preemption 2 --
 *   ann   takes connection 0 as well, sets its user to 1; assert holds; gives it back; exits
 *   ben   assert(connection->user == id) fails
 */

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>

#define N_CONNECTIONS 2
#define N_CLIENTS 2

struct connection {
    bool in_use;
    int user; /* belongs to whoever uses the connection */
};

static struct {
    sem_t n_free;
    struct connection connections[N_CONNECTIONS];
} pool;

static struct connection *check_out(void)
{
    struct connection *connection = pool.connections;

    sem_wait(&pool.n_free);
    while (connection->in_use) /* one of them is not */
        connection++;
    connection->in_use = true;
    return connection;
}

static void give_back(struct connection *connection)
{
    connection->in_use = false;
    sem_post(&pool.n_free);
}

static void *client(void *arg)
{
    int id = *(int *)arg;
    struct connection *connection = check_out();

    connection->user = id;
    assert(connection->user == id);
    give_back(connection);
    return NULL;
}

int main(void)
{
    pthread_t clients[N_CLIENTS];
    int ids[N_CLIENTS] = {1, 2};

    sem_init(&pool.n_free, 0, N_CONNECTIONS);
    for (int i = 0; i < N_CLIENTS; i++)
        pthread_create(&clients[i], NULL, client, &ids[i]);
    for (int i = 0; i < N_CLIENTS; i++)
        pthread_join(clients[i], NULL);

    for (int i = 0; i < N_CONNECTIONS; i++)
        assert(!pool.connections[i].in_use);
    sem_destroy(&pool.n_free);
    return 0;
}
