// The product of two matrices, rows shared out among threads: accesses without synchronisation.
#include <pthread.h>
#include <stdio.h>

enum { N = 256, N_THREADS = 2 };

static double a[N][N], b[N][N], c[N][N];

static void *rows(void *first) {
    for (long i = (long)first; i < N; i += N_THREADS)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    return NULL;
}

int main(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i + j;
            b[i][j] = i - j;
        }
    pthread_t threads[N_THREADS];
    for (long t = 0; t < N_THREADS; t++) pthread_create(&threads[t], NULL, rows, (void *)t);
    for (int t = 0; t < N_THREADS; t++) pthread_join(threads[t], NULL);
    printf("%.0f\n", c[N / 2][N / 3]);
    return 0;
}
