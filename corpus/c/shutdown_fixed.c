/* shutdown_fixed: main stops a worker and frees the channel when the worker has ended.
 *
 * threads:  2
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
    alert(channel);
    return NULL;
}

int main(void)
{
    struct channel *channel = open_channel();
    pthread_t worker;

    pthread_create(&worker, NULL, work, channel);
    send(channel, 1);
    send(channel, STOP);
    pthread_join(worker, NULL);
    assert(channel->sum == 1 && channel->alerted);
    free_channel(channel);
    return 0;
}
