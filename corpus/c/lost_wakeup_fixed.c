/* lost_wakeup_fixed: main waits for a letter and tests the flag while it has the mutex.
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
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t delivered = PTHREAD_COND_INITIALIZER;
static bool ready; /* guarded by mutex, as is letter */
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
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&delivered, &mutex);
    pthread_mutex_unlock(&mutex);
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
