/* Whoever comes first unlocks what nobody has locked. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct room {
    int n_guests;
    pthread_mutex_t door;
};

static struct room *room;
static atomic_int turn;

static void *leave(void *unused) {
    if (turn == 0) {
        pthread_mutex_unlock(&room->door);
    }
    return unused;
}

int main(void) {
    struct room *made = calloc(1, sizeof *made);
    pthread_mutex_init(&made->door, NULL);
    room = made;
    pthread_t guest;
    pthread_create(&guest, NULL, leave, NULL);
    turn = 1;
    pthread_join(guest, NULL);
    pthread_mutex_destroy(&made->door);
    free(made);
    return 0;
}
