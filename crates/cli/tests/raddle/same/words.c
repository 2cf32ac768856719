/* Texts that are as long as a number. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char state[16];
static short pair[2];
static const char *volatile started = "started", *volatile letters = "AB\0";
static volatile size_t four = 4;

static void *look(void *arg) {
    pthread_mutex_lock(&mutex);
    assert(state[0] != 's' || pair[0] == 0);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t looker;
    pthread_create(&looker, NULL, look, NULL);
    pthread_mutex_lock(&mutex);
    strcpy(state, started);
    memcpy(pair, letters, four);
    pthread_mutex_unlock(&mutex);
    pthread_join(looker, NULL);
    return 0;
}
