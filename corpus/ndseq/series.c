// Coefficients of a Fourier series: each thread computes some of them.
// focus: coefficients
// expect: serializable
#include <pthread.h>

double coefficients[2][6];

static double integrate(int n, int odd)
{
    double sum = 0;
    for (int k = 0; k < 5; k++) {
        double x = 0.4 * k;
        double wave = 1 - n * x * x / 2 + odd * n * x;
        sum += (x + 1) * wave * 0.4;
    }
    return sum;
}

static void *worker(void *arg)
{
    long i = (long)arg;
    for (long n = i; n < 6; n += 3) {
        coefficients[0][n] = integrate((int)n, 0);
        coefficients[1][n] = integrate((int)n, 1);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
