// Mesh refinement: items of a work list are of two kinds. The mesh is changed only if nobody has
// changed it since it was looked at; otherwise the item is tried again.
// focus: mesh, version
// expect: inferred
// if(*): 26-36, 44-54
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int version;
int mesh[5];

static int look(int item, int *cavity)
{
    pthread_mutex_lock(&lock);
    int seen = version;
    *cavity = mesh[item] + mesh[item + 1];
    pthread_mutex_unlock(&lock);
    return seen;
}

static void refine(int item)
{
    bool done = false;
    while (!done) {
        int cavity;
        int seen = look(item, &cavity);
        int better = cavity / 2 + item;
        pthread_mutex_lock(&lock);
        if (version == seen) {
            mesh[item] = better;
            mesh[item + 1] = better + 1;
            version = seen + 1;
            done = true;
        }
        pthread_mutex_unlock(&lock);
    }
}

static void flip(int item)
{
    bool done = false;
    while (!done) {
        int cavity;
        int seen = look(item, &cavity);
        int better = 7 - cavity;
        pthread_mutex_lock(&lock);
        if (version == seen) {
            mesh[item] = better;
            mesh[item + 1] = better + 1;
            version = seen + 1;
            done = true;
        }
        pthread_mutex_unlock(&lock);
    }
}

static void *worker(void *arg)
{
    int item = (int)(long)arg;
    if (item % 2)
        refine(item);
    else
        flip(item);
    return 0;
}

int main(void)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
