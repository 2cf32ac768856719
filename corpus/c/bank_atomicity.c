/* bank_atomicity: two threads withdraw from an account that has enough money for one of them.
 *
 * threads:  3
 * bug:      the check of `balance` and the withdrawal are two critical sections
 * kinds:    atomicity, assertion
 * bound:    1
 * verdict:  fails
 */

/* There is no data race: each access holds the lock. A failing interleaving; balance is 100:
 *
 *   main    creates alice and bob, blocks in the join of alice
 *   alice   has_funds: lock, 100 >= 80, unlock
 *           -- preemption 1 --
 *   bob     has_funds: lock, 100 >= 80, unlock; lock, balance = 20, unlock, exits
 *   alice   lock, balance = -60, unlock, exits
 *   main    joins both, -60 < 0
 */

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define AMOUNT 80

static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100; /* guarded by account */

static bool has_funds(int amount)
{
    pthread_mutex_lock(&account);
    bool enough = balance >= amount;
    pthread_mutex_unlock(&account);
    return enough;
}

static void *withdraw(void *unused)
{
    (void)unused;
    if (has_funds(AMOUNT)) {
        pthread_mutex_lock(&account);
        balance -= AMOUNT;
        pthread_mutex_unlock(&account);
    }
    return NULL;
}

int main(void)
{
    pthread_t alice, bob;

    pthread_create(&alice, NULL, withdraw, NULL);
    pthread_create(&bob, NULL, withdraw, NULL);
    pthread_join(alice, NULL);
    pthread_join(bob, NULL);

    assert(balance >= 0);
    return 0;
}
