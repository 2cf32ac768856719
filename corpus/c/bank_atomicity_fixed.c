/* bank_atomicity_fixed: as bank_atomicity, check and withdrawal are one critical section.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * atomic:   withdraw
 * predict:  none
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

static void *freeze(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&account);
    balance = 0;
    pthread_mutex_unlock(&account);
    return NULL;
}

int main(void)
{
    pthread_t alice, bank;

    pthread_create(&alice, NULL, withdraw, NULL);
    pthread_create(&bank, NULL, freeze, NULL);
    pthread_join(alice, NULL);
    pthread_join(bank, NULL);

    assert(balance >= 0);
    return 0;
}
