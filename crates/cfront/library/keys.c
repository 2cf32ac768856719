/* Thread-specific data. A key's generation tells values of an earlier key with its number. */
#include "internal.h"
#include <pthread.h>
#include <threads.h>

#define MAX_KEYS 128

struct key {
    _Bool used;
    unsigned generation;
    void (*destructor)(void *);
};

struct specific {
    void *value;
    unsigned generation;
};

static struct key keys[MAX_KEYS];
static _Thread_local struct specific specifics[MAX_KEYS];

static void *own_value(unsigned key) {
    return specifics[key].generation == keys[key].generation ? specifics[key].value : 0;
}

/* Whether any destructor ran. */
static _Bool destroy_values(void) {
    _Bool any = 0;
    for (unsigned i = 0; i < MAX_KEYS; i++) {
        void (*destructor)(void *) = keys[i].used ? keys[i].destructor : 0;
        void *value = destructor ? own_value(i) : 0;
        if (value) {
            specifics[i].value = 0;
            destructor(value);
            any = 1;
        }
    }
    return any;
}

static void run_destructors(void) {
    for (int round = 0; round < 4; round++)
        if (!destroy_values())
            return;
}

int pthread_key_create(pthread_key_t *to, void (*destructor)(void *)) {
    unsigned i = 0;
    __raddle_atomic_begin();
    __raddle_lib_key_destructors = run_destructors;
    while (i < MAX_KEYS && keys[i].used)
        i++;
    if (i < MAX_KEYS) {
        keys[i].used = 1;
        keys[i].generation++;
        keys[i].destructor = destructor;
    }
    __raddle_atomic_end();
    if (i == MAX_KEYS)
        return EAGAIN;
    *to = i;
    return 0;
}

int pthread_key_delete(pthread_key_t key) {
    if (key >= MAX_KEYS || !keys[key].used)
        return EINVAL;
    keys[key].used = 0;
    return 0;
}

void *pthread_getspecific(pthread_key_t key) {
    return key < MAX_KEYS && keys[key].used ? own_value(key) : 0;
}

int pthread_setspecific(pthread_key_t key, const void *value) {
    if (key >= MAX_KEYS || !keys[key].used)
        return EINVAL;
    specifics[key].value = (void *)value;
    specifics[key].generation = keys[key].generation;
    return 0;
}

int tss_create(tss_t *key, tss_dtor_t destructor) {
    return pthread_key_create(key, destructor) ? thrd_error : thrd_success;
}

void *tss_get(tss_t key) {
    return pthread_getspecific(key);
}

int tss_set(tss_t key, void *value) {
    return pthread_setspecific(key, value) ? thrd_error : thrd_success;
}

void tss_delete(tss_t key) {
    pthread_key_delete(key);
}
