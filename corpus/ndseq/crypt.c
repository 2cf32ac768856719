// Encryption, then decryption: each thread has a part of the text.
// focus: plain
// expect: serializable
#include <pthread.h>

static unsigned char text[12] = "hello world";
static unsigned char cipher[12];
unsigned char plain[12];

static void *encrypt(void *arg)
{
    long first = (long)arg * 4;
    for (long k = first; k < first + 4; k++)
        cipher[k] = (unsigned char)(text[k] ^ (k * 37 + 11));
    return 0;
}

static void *decrypt(void *arg)
{
    long first = (long)arg * 4;
    for (long k = first; k < first + 4; k++)
        plain[k] = (unsigned char)(cipher[k] ^ (k * 37 + 11));
    return 0;
}

static void all(void *(*worker)(void *))
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}

int main(void)
{
    all(encrypt);
    all(decrypt);
    return 0;
}
