/* lost_wakeup: main waits for a letter that another thread delivers.
 *
 * threads:  2
 * bug:      `ready` is tested without the mutex, the signal comes before the wait and is lost
 * kinds:    race, lost-wakeup, deadlock
 * predict:  race, lost-wakeup
 * bound:    1
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main     creates postman; ready is false
 *            -- preemption 1 --
 *   postman  lock, letter = 42, ready = true, signals nobody, unlock, exits
 *   main     lock, waits: nobody is left to signal
 */

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t delivered = PTHREAD_COND_INITIALIZER;
static bool ready; /* to be guarded by mutex, as is letter */
static int letter;

static void *deliver(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    letter = 42;
    ready = true;
    pthread_cond_signal(&delivered);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void wait_for_letter(void)
{
    while (!ready) {
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&delivered, &mutex);
        pthread_mutex_unlock(&mutex);
    }
}

int main(void)
{
    pthread_t postman;

    pthread_create(&postman, NULL, deliver, NULL);
    wait_for_letter();
    assert(letter == 42);
    pthread_join(postman, NULL);
    return 0;
}
