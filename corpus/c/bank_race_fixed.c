/* bank_race_fixed: two threads change one balance, each update holds the lock.
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
#include <stddef.h>

static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100; /* guarded by account */

static void change_balance(int amount)
{
    pthread_mutex_lock(&account);
    int seen = balance;
    balance = seen + amount;
    pthread_mutex_unlock(&account);
}

static void *deposit(void *unused)
{
    (void)unused;
    change_balance(50);
    return NULL;
}

static void *withdraw(void *unused)
{
    (void)unused;
    change_balance(-30);
    return NULL;
}

int main(void)
{
    pthread_t depositor, withdrawer;

    pthread_create(&depositor, NULL, deposit, NULL);
    pthread_create(&withdrawer, NULL, withdraw, NULL);
    pthread_join(depositor, NULL);
    pthread_join(withdrawer, NULL);

    assert(balance == 120);
    return 0;
}
