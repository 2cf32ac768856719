/* connection_pool_fixed: clients share two connections, a mutex guards which ones are in use.
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
    pthread_mutex_t mutex; /* guards `in_use` of all connections */
    struct connection connections[N_CONNECTIONS];
} pool;

static struct connection *check_out(void)
{
    struct connection *connection = pool.connections;

    sem_wait(&pool.n_free);
    pthread_mutex_lock(&pool.mutex);
    while (connection->in_use) /* one of them is not */
        connection++;
    connection->in_use = true;
    pthread_mutex_unlock(&pool.mutex);
    return connection;
}

static void give_back(struct connection *connection)
{
    pthread_mutex_lock(&pool.mutex);
    connection->in_use = false;
    pthread_mutex_unlock(&pool.mutex);
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
    pthread_mutex_init(&pool.mutex, NULL);
    for (int i = 0; i < N_CLIENTS; i++)
        pthread_create(&clients[i], NULL, client, &ids[i]);
    for (int i = 0; i < N_CLIENTS; i++)
        pthread_join(clients[i], NULL);

    for (int i = 0; i < N_CONNECTIONS; i++)
        assert(!pool.connections[i].in_use);
    pthread_mutex_destroy(&pool.mutex);
    sem_destroy(&pool.n_free);
    return 0;
}
