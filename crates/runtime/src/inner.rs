//! Files that lead nowhere outside: pipes, connected sockets and counters that the program made.
//!
//! A thread that waits for one of them waits for another thread. If all threads wait, none will ever come,
//! unless another process has the file, too.

use core::cell::Cell;

use crate::external::{External, Poll};

/// Files with higher numbers are taken for such that lead outside.
const N_MAX: usize = 1024;

mod number {
    pub const CLOSE: usize = 3;
    pub const PIPE: usize = 22;
    pub const DUP: usize = 32;
    pub const DUP2: usize = 33;
    pub const SENDMSG: usize = 46;
    pub const SOCKETPAIR: usize = 53;
    pub const FCNTL: usize = 72;
    pub const EVENTFD: usize = 284;
    pub const EVENTFD2: usize = 290;
    pub const DUP3: usize = 292;
    pub const PIPE2: usize = 293;
}

/// Which files these are: one bit each.
pub struct Inner {
    files: Cell<[u64; N_MAX / 64]>,
}

impl Inner {
    /// None.
    pub const fn new() -> Inner {
        Inner { files: Cell::new([0; N_MAX / 64]) }
    }

    /// Another process has the same files from now on.
    pub fn forget_all(&self) {
        self.files.set([0; N_MAX / 64]);
    }

    /// A call was made and has answered.
    pub fn note(&self, number: usize, args: [usize; 6], answer: isize) {
        use number::*;
        if answer < 0 {
            return;
        }
        // SAFETY: where the kernel has just written two numbers.
        let pair = |at: usize| unsafe { *(at as *const [i32; 2]) };
        match number {
            PIPE | PIPE2 => pair(args[0]).iter().for_each(|&file| self.set(file as usize, true)),
            SOCKETPAIR => pair(args[3]).iter().for_each(|&file| self.set(file as usize, true)),
            EVENTFD | EVENTFD2 => self.set(answer as usize, true),
            CLOSE => self.set(args[0], false),
            // A file may be sent along.
            SENDMSG => self.forget_all(),
            DUP | DUP2 | DUP3 => self.set(answer as usize, self.has(args[0] as i32)),
            FCNTL => {
                const DUPLICATE: usize = 0;
                const DUPLICATE_AND_CLOSE: usize = 1030;
                if matches!(args[1], DUPLICATE | DUPLICATE_AND_CLOSE) {
                    self.set(answer as usize, self.has(args[0] as i32));
                }
            }
            _ => {}
        }
    }

    /// Whether only threads of the program can end such a wait.
    pub fn holds(&self, external: External) -> bool {
        match external {
            External::File(file, _) => self.has(file),
            External::Poll(files, n) => (0..n).all(|index| {
                // SAFETY: the program's array, which it waits with.
                let poll = unsafe { *(files as *const Poll).add(index) };
                poll.fd < 0 || self.has(poll.fd)
            }),
            External::Select(..) | External::Child(_) | External::Signal(_) => false,
        }
    }

    fn has(&self, file: i32) -> bool {
        (0..N_MAX as i32).contains(&file)
            && self.files.get()[file as usize / 64] >> (file % 64) & 1 != 0
    }

    fn set(&self, file: usize, on: bool) {
        if file < N_MAX {
            let mut files = self.files.get();
            let bit = 1 << (file % 64);
            files[file / 64] = if on { files[file / 64] | bit } else { files[file / 64] & !bit };
            self.files.set(files);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_inner_until_they_are_closed_or_shared() {
        let inner = Inner::new();
        let ends = [5i32, 70];
        inner.note(number::PIPE, [ends.as_ptr() as usize, 0, 0, 0, 0, 0], 0);
        assert!(inner.has(5) && inner.has(70) && !inner.has(6));
        inner.note(number::DUP, [70, 0, 0, 0, 0, 0], 6);
        inner.note(number::CLOSE, [5, 0, 0, 0, 0, 0], 0);
        assert!(inner.has(6) && !inner.has(5) && !inner.has(-1) && !inner.has(5000));
        assert!(inner.holds(External::File(6, 1)) && !inner.holds(External::File(0, 1)));
        inner.note(number::PIPE, [ends.as_ptr() as usize, 0, 0, 0, 0, 0], -1);
        assert!(!inner.has(5));
        inner.forget_all();
        assert!(!inner.has(6));
    }

    #[test]
    fn a_wait_for_several_files_is_inner_if_all_are() {
        let inner = Inner::new();
        inner.note(number::EVENTFD2, [0; 6], 3);
        let poll = |fd| Poll { fd, events: 1, answers: 0 };
        let files = [poll(3), poll(-1), poll(0)];
        let at = files.as_ptr() as usize;
        assert!(inner.holds(External::Poll(at, 2)) && !inner.holds(External::Poll(at, 3)));
    }
}
