/* two_stage_fixed: a seller changes a price and its tax, with locks that overlap.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * atomic:   change_price
 * predict:  none
 * bound:    -
 * verdict:  clean
 */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t price_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t tax_lock = PTHREAD_MUTEX_INITIALIZER;
static int price = 100; /* guarded by price_lock */
static int tax = 10;    /* guarded by tax_lock; a tenth of the price */

static void change_price(int new_price)
{
    pthread_mutex_lock(&price_lock);
    price = new_price;
    pthread_mutex_lock(&tax_lock);
    pthread_mutex_unlock(&price_lock);

    tax = new_price / 10;
    pthread_mutex_unlock(&tax_lock);
}

static void *sell(void *unused)
{
    (void)unused;
    change_price(200);
    return NULL;
}

static void *buy(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&price_lock);
    int seen_price = price;
    pthread_mutex_lock(&tax_lock);
    pthread_mutex_unlock(&price_lock);

    int seen_tax = tax;
    pthread_mutex_unlock(&tax_lock);

    assert(seen_tax == seen_price / 10);
    return NULL;
}

int main(void)
{
    pthread_t seller, buyer;

    pthread_create(&seller, NULL, sell, NULL);
    pthread_create(&buyer, NULL, buy, NULL);
    pthread_join(seller, NULL);
    pthread_join(buyer, NULL);

    assert(price == 200 && tax == 20);
    return 0;
}
