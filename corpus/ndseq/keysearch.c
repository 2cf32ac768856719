// Key search: each thread tries keys of its own; one of them finds the key.
// focus: found
// expect: serializable
#include <pthread.h>

int found;
static const int secret = 0x35;

static int encrypt(int key)
{
    return (key * 7 + 3) & 0xff;
}

static void *worker(void *arg)
{
    int first = (int)(long)arg * 32;
    int wanted = encrypt(secret);
    for (int key = first; key < first + 32; key++)
        if (encrypt(key) == wanted)
            found = key;
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
