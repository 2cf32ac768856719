#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct page { int number; int n_readers; };

static struct page *_Atomic front;

static void publish(struct page *page)
{
    page->n_readers++;
}

static void *read_front(void *unused)
{
    struct page *page = front;

    if (page)
        publish(page);
    return unused;
}

static void *retire(void *unused)
{
    struct page *old = atomic_exchange(&front, NULL);
    free(old);
    return unused;
}

int main(void)
{
    pthread_t reader, owner;
    struct page *page = malloc(sizeof *page);

    page->n_readers = 1;
    front = page;
    pthread_create(&reader, NULL, read_front, NULL);
    pthread_create(&owner, NULL, retire, NULL);
    pthread_join(reader, NULL);
    pthread_join(owner, NULL);
    return 0;
}
