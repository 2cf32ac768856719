/* The running example of Ganai and Wang: can Y exceed 5? */
#include <pthread.h>

static int X = 0, Y = 1, Z = 3;
static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;

static void *Mb(void *unused) {
    int b1 = Y;
    pthread_mutex_lock(&L);
    int b2 = X;
    Z = b1;
    pthread_mutex_unlock(&L);
    Y = b1 + b2;
    return unused;
}

int main(void) {
    pthread_t b;
    pthread_create(&b, 0, Mb, 0);
    pthread_mutex_lock(&L);
    int a1 = Z;
    X = a1 + 1;
    pthread_mutex_unlock(&L);
    Y = 1;
    pthread_join(b, 0);
    return 0;
}
