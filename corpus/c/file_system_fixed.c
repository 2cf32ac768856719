/* file_system_fixed: processes create files, each looks at a block and takes it with its lock.
 *
 * threads:  4
 * bug:      none
 * kinds:    none
 * predict:  none
 * bound:    -
 * verdict:  clean
 */

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define N_PROCESSES 3
#define N_INODES 2
#define N_BLOCKS 2
#define EMPTY (-1)

static pthread_mutex_t inode_locks[N_INODES];
static pthread_mutex_t block_locks[N_BLOCKS];
static int inodes[N_INODES]; /* the block of each, or EMPTY */
static bool busy[N_BLOCKS];

/* Finds a block for an inode, whose lock is held. There are enough of them. */
static void allocate(int inode)
{
    int block = inode * 2 % N_BLOCKS;

    pthread_mutex_lock(&block_locks[block]);
    while (busy[block]) {
        pthread_mutex_unlock(&block_locks[block]);
        block = (block + 1) % N_BLOCKS;
        pthread_mutex_lock(&block_locks[block]);
    }
    busy[block] = true;
    inodes[inode] = block;
    pthread_mutex_unlock(&block_locks[block]);
}

static void *create(void *inode_ptr)
{
    int inode = (int)((int *)inode_ptr - inodes);

    pthread_mutex_lock(&inode_locks[inode]);
    if (inodes[inode] == EMPTY)
        allocate(inode);
    pthread_mutex_unlock(&inode_locks[inode]);
    return NULL;
}

int main(void)
{
    pthread_t processes[N_PROCESSES];

    for (int i = 0; i < N_INODES; i++) {
        pthread_mutex_init(&inode_locks[i], NULL);
        inodes[i] = EMPTY;
    }
    for (int i = 0; i < N_BLOCKS; i++)
        pthread_mutex_init(&block_locks[i], NULL);

    for (int i = 0; i < N_PROCESSES; i++)
        pthread_create(&processes[i], NULL, create, &inodes[i % N_INODES]);
    for (int i = 0; i < N_PROCESSES; i++)
        pthread_join(processes[i], NULL);

    assert(inodes[0] != EMPTY && inodes[1] != EMPTY);
    assert(inodes[0] != inodes[1]);
    return 0;
}
