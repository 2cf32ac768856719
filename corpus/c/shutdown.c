/* shutdown: main stops a worker, waits for its word that it is done, and frees the channel.
 *
 * threads:  2
 * bug:      the worker gives its word before its last use of the channel
 * kinds:    race, use-after-free, misuse
 * predict:  none
 * bound:    1
 * verdict:  fails
 */

/* Like the bug of Dryad in Figure 3 of "Iterative Context Bounding for Systematic Testing of
 * Multithreaded Programs" (Musuvathi and Qadeer, 2007). A failing interleaving:
 *
 *   main    makes a channel, creates worker; sends 1 and STOP; blocks on `closed`
 *   worker  receives 1, adds it; receives STOP; posts `closed`
 *           -- preemption 1 --
 *   main    the sum is right; frees the channel; blocks in the join
 *   worker  alert: locks the mutex of the channel, which is freed
 */

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define N_SLOTS 2
#define STOP 0

struct channel {
    pthread_mutex_t mutex;
    sem_t n_items;
    int items[N_SLOTS]; /* guarded by mutex, as is the rest */
    int n_sent, n_received;
    int sum;
    bool alerted;
};

static sem_t closed;

static struct channel *open_channel(void)
{
    struct channel *channel = calloc(1, sizeof *channel);

    if (!channel)
        abort();
    pthread_mutex_init(&channel->mutex, NULL);
    sem_init(&channel->n_items, 0, 0);
    return channel;
}

static void free_channel(struct channel *channel)
{
    sem_destroy(&channel->n_items);
    pthread_mutex_destroy(&channel->mutex);
    free(channel);
}

static void send(struct channel *channel, int item)
{
    pthread_mutex_lock(&channel->mutex);
    channel->items[channel->n_sent++] = item;
    pthread_mutex_unlock(&channel->mutex);
    sem_post(&channel->n_items);
}

static int receive(struct channel *channel)
{
    sem_wait(&channel->n_items);
    pthread_mutex_lock(&channel->mutex);
    int item = channel->items[channel->n_received++];
    channel->sum += item;
    pthread_mutex_unlock(&channel->mutex);
    return item;
}

/* Tells whoever looks at the channel that nothing will come any more. */
static void alert(struct channel *channel)
{
    pthread_mutex_lock(&channel->mutex);
    channel->alerted = true;
    pthread_mutex_unlock(&channel->mutex);
}

static void *work(void *arg)
{
    struct channel *channel = arg;

    while (receive(channel) != STOP)
        ;
    sem_post(&closed);
    alert(channel);
    return NULL;
}

int main(void)
{
    struct channel *channel = open_channel();
    pthread_t worker;

    sem_init(&closed, 0, 0);
    pthread_create(&worker, NULL, work, channel);
    send(channel, 1);
    send(channel, STOP);
    sem_wait(&closed);
    assert(channel->sum == 1);
    free_channel(channel);
    pthread_join(worker, NULL);
    sem_destroy(&closed);
    return 0;
}
