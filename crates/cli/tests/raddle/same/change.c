#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int tickets;
static atomic_int owner;

static void *enter(void *unused)
{
    int free = 0;
    int ticket = atomic_fetch_add(&tickets, 1);
    if (atomic_compare_exchange_strong(&owner, &free, 7))
        assert(ticket == 0);
    atomic_store(&tickets, 5);
    return unused;
}

int main(void)
{
    pthread_t one, other;

    atomic_store(&owner, 0);
    pthread_create(&one, NULL, enter, NULL);
    pthread_create(&other, NULL, enter, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
