/* As in Apache's log writer: the length is read, the buffer is filled, the length is written;
   another thread does the same in between. */
#include <assert.h>
#include <pthread.h>

static int length, buffer;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *log_line(void *arg) {
    int size = (int)(long)arg;
    pthread_mutex_lock(&m);
    int at = length;
    pthread_mutex_unlock(&m);
    buffer = at + size;
    pthread_mutex_lock(&m);
    length = at + size;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, log_line, (void *)3);
    pthread_create(&b, 0, log_line, (void *)4);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(length == 7);
    return 0;
}
