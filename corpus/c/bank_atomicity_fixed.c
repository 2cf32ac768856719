/* bank_atomicity_fixed: two threads withdraw, check and withdrawal are one critical section.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * bound:    -
 * verdict:  clean
 */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define AMOUNT 80

static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100; /* guarded by account */

static void *withdraw(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&account);
    if (balance >= AMOUNT)
        balance -= AMOUNT;
    pthread_mutex_unlock(&account);
    return NULL;
}

int main(void)
{
    pthread_t alice, bob;

    pthread_create(&alice, NULL, withdraw, NULL);
    pthread_create(&bob, NULL, withdraw, NULL);
    pthread_join(alice, NULL);
    pthread_join(bob, NULL);

    assert(balance == 20);
    return 0;
}
