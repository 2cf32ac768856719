/* file_system: processes create files (the model of Flanagan and Godefroid), each takes a block.
 *
 * threads:  4
 * bug:      whether a block is busy is tested without its lock, two inodes get the same block
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    1
 * verdict:  fails
 */

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

const N_PROCESSES: usize = 3;
const N_INODES: usize = 2;
const N_BLOCKS: usize = 2;

struct Disk {
    /// The block of each.
    inodes: [Mutex<Option<usize>>; N_INODES],
    block_locks: [Mutex<()>; N_BLOCKS],
    busy: [AtomicBool; N_BLOCKS],
}

impl Disk {
    fn create(&self, number: usize) {
        let mut inode = self.inodes[number].lock().unwrap();
        if inode.is_none() {
            self.allocate(number, &mut inode);
        }
    }

    /// Finds a block for an inode, whose lock is held. There are enough of them.
    fn allocate(&self, number: usize, inode: &mut Option<usize>) {
        let mut block = number * 2 % N_BLOCKS;
        while self.busy[block].load(Ordering::SeqCst) {
            block = (block + 1) % N_BLOCKS;
        }
        let _lock = self.block_locks[block].lock().unwrap();
        self.busy[block].store(true, Ordering::SeqCst);
        *inode = Some(block);
    }
}

fn main() {
    let disk = Arc::new(Disk {
        inodes: core::array::from_fn(|_| Mutex::new(None)),
        block_locks: core::array::from_fn(|_| Mutex::new(())),
        busy: core::array::from_fn(|_| AtomicBool::new(false)),
    });
    let start = |number: usize| {
        let disk = Arc::clone(&disk);
        thread::spawn(move || disk.create(number % N_INODES))
    };
    let processes: Vec<_> = (0..N_PROCESSES).map(start).collect();
    processes.into_iter().for_each(|process| process.join().unwrap());
    let block = |number: usize| *disk.inodes[number].lock().unwrap();
    assert!(block(0).is_some() && block(1).is_some());
    assert_ne!(block(0), block(1));
}
