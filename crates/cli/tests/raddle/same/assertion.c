#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int balance = 100;

static void *deposit(void *unused)
{
    int seen = balance;
    balance = seen + 50;
    return unused;
}

static void *withdraw(void *unused)
{
    int seen = balance;
    balance = seen - 130;
    return unused;
}

int main(void)
{
    pthread_t depositor, withdrawer;

    pthread_create(&depositor, NULL, deposit, NULL);
    pthread_create(&withdrawer, NULL, withdraw, NULL);
    pthread_join(depositor, NULL);
    pthread_join(withdrawer, NULL);
    int left = balance;
    assert(left == 20);
    return 0;
}
