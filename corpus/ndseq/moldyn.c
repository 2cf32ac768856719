// Molecular dynamics: threads meet at barriers, so what they do between two is an iteration.
// focus: position, energy
// expect: serializable
#include <pthread.h>
#include <raddle.h>

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double force[3];
double position[3] = {0, 1, 3};
double energy;

static void *worker(void *arg)
{
    long i = (long)arg;
    for (int step = 0; step < 2; step++) {
        raddle_begin_iteration("forces", step);
        double sum = 0, own = 0;
        for (int k = 0; k < 3; k++) {
            double distance = position[k] - position[i];
            sum += 0.1 * distance;
            own += distance * distance;
        }
        force[i] = sum;
        pthread_mutex_lock(&lock);
        energy += own;
        pthread_mutex_unlock(&lock);
        raddle_end_iteration();
        pthread_barrier_wait(&barrier);
        raddle_begin_iteration("move", step);
        position[i] += force[i];
        raddle_end_iteration();
        pthread_barrier_wait(&barrier);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    pthread_barrier_init(&barrier, 0, 3);
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
