/* file_system_fixed: processes create files, each looks at a block and takes it with its lock.
 *
 * threads:  4
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::{Arc, Mutex};
use std::thread;

const N_PROCESSES: usize = 3;
const N_INODES: usize = 2;
const N_BLOCKS: usize = 2;

struct Disk {
    /// The block of each.
    inodes: [Mutex<Option<usize>>; N_INODES],
    /// Whether they are busy.
    blocks: [Mutex<bool>; N_BLOCKS],
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
        let mut busy = self.blocks[block].lock().unwrap();
        while *busy {
            drop(busy);
            block = (block + 1) % N_BLOCKS;
            busy = self.blocks[block].lock().unwrap();
        }
        *busy = true;
        *inode = Some(block);
    }
}

fn main() {
    let disk = Arc::new(Disk {
        inodes: core::array::from_fn(|_| Mutex::new(None)),
        blocks: core::array::from_fn(|_| Mutex::new(false)),
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
