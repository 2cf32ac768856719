/* bank_race: two threads change one balance, a deposit and a withdrawal, without a lock.
 *
 * threads:  3
 * bug:      the update of `balance` is not atomic, the deposit or the withdrawal is lost
 * kinds:    race, atomicity, assertion
 * predict:  race
 * bound:    1
 * verdict:  fails
 */

/* A failing interleaving; balance is 100:
 *
 *   main       creates depositor and withdrawer, blocks in the join of depositor
 *   depositor  seen = 100
 *              -- preemption 1 --
 *   withdrawer seen = 100, balance = 70, exits
 *   depositor  balance = 150, exits: the withdrawal is lost
 *   main       joins both, 150 != 120
 */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int balance = 100;

static void change_balance(int amount)
{
    int seen = balance;
    balance = seen + amount;
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
