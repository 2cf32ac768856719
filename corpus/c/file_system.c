/* file_system: processes create files (the model of Flanagan and Godefroid), each takes a block.
 *
 * threads:  4
 * bug:      whether a block is busy is tested without its lock, two inodes get the same block
 * kinds:    race, atomicity, assertion
 * predict:  race
 * bound:    1
 * verdict:  fails
 */

/* A failing interleaving; processes 0 and 2 use inode 0, process 1 uses inode 1, and the search
 * for a block begins at block 0 for both inodes:
 *
 *   main  creates all, blocks in the join of 0
 *   0     locks inode 0, which is empty; block 0 is not busy
 *         -- preemption 1 --
 *   1     locks inode 1, which is empty; block 0 is not busy; locks block 0, makes it busy,
 *         inode 1 gets block 0; exits
 *   0     locks block 0, makes it busy, inode 0 gets block 0; exits
 *   2     inode 0 has a block; exits
 *   main  joins all; assert(inodes[0] != inodes[1]) fails
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

    while (busy[block])
        block = (block + 1) % N_BLOCKS;
    pthread_mutex_lock(&block_locks[block]);
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
