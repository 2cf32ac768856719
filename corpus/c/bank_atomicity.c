/* bank_atomicity: alice withdraws money while the bank freezes the account, both under its lock.
 *
 * threads:  3
 * bug:      the check of `balance` and the withdrawal are two critical sections
 * kinds:    atomicity, assertion
 * atomic:   withdraw
 * predict:  atomicity
 * bound:    1
 * verdict:  fails
 */

/* A failing interleaving:
 *
 *   main    creates alice and bank, blocks in the join of alice
 *   alice   has_funds: 100 >= 80
 *           -- preemption 1 --
 *   bank    balance = 0, ends
 *   alice   balance = 0 - 80
 *   main    -80 < 0
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
