/* refcount: two threads share a message and let go of it, the last one frees it.
 *
 * threads:  3
 * bug:      the count is lowered in one step and tested in another one, when it can be freed
 * kinds:    race, atomicity, use-after-free
 * predict:  none
 * bound:    1
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main  makes a message with two owners; creates ann and ben, blocks in the join of ann
 *   ann   reads the message; n_owners 2 -> 1
 *         -- preemption 1 --
 *   ben   reads the message; n_owners 1 -> 0, it is 0: frees the message; exits
 *   ann   reads n_owners of the message, which is freed
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct message {
    atomic_int n_owners;
    char text[8];
};

static struct message *new_message(const char *text, int n_owners)
{
    struct message *message = malloc(sizeof *message);

    if (!message)
        abort();
    atomic_init(&message->n_owners, n_owners);
    strcpy(message->text, text);
    return message;
}

static void let_go(struct message *message)
{
    message->n_owners--;
    if (message->n_owners == 0)
        free(message);
}

static void *read_message(void *arg)
{
    struct message *message = arg;

    assert(message->text[0] == 'h');
    let_go(message);
    return NULL;
}

int main(void)
{
    struct message *message = new_message("hello", 2);
    pthread_t ann, ben;

    pthread_create(&ann, NULL, read_message, message);
    pthread_create(&ben, NULL, read_message, message);
    pthread_join(ann, NULL);
    pthread_join(ben, NULL);
    return 0;
}
