//! What a run changes beside memory, so that it can be put back.

use super::{Kept, N_ACTIONS_MAX, N_FILES_MAX, N_MAPS_MAX};

impl Kept {
    /// Whether there is no room to say what a run mapped or changed.
    pub(in super::super) fn is_full(&self) -> bool {
        self.n_maps.get() + 16 >= N_MAPS_MAX || self.n_actions.get() + 1 >= N_ACTIONS_MAX
    }

    /// Whether a range was mapped in this run.
    pub(in super::super) fn is_new(&self, start: usize, len: usize) -> bool {
        self.maps().any(|(at, n)| at <= start && start + len <= at + n)
    }

    /// Where the heap ended before the first run.
    pub(in super::super) fn heap_end(&self) -> usize {
        self.heap_end.get()
    }

    /// The program unmapped memory of its own.
    pub(in super::super) fn unmapped(&self, start: usize, len: usize) {
        let mut maps = self.maps[..self.n_maps.get()].iter();
        if let Some(map) = maps.find(|map| map.get() == (start, len)) {
            map.set((0, 0));
        }
    }

    pub(in super::super) fn opened(&self, file: isize) {
        if (0..N_FILES_MAX as isize).contains(&file) {
            let files = &self.files[file as usize / 64];
            files.set(files.get() | 1 << (file % 64));
            self.any_file.set(true);
        }
    }

    pub(in super::super) fn closed(&self, file: usize) {
        if file < N_FILES_MAX {
            let files = &self.files[file / 64];
            files.set(files.get() & !(1 << (file % 64)));
        }
    }

    /// Whether a file was opened in this run.
    pub(in super::super) fn is_own(&self, file: usize) -> bool {
        file < N_FILES_MAX && self.files[file / 64].get() >> (file % 64) & 1 != 0
    }

    /// How a signal was handled before this run changes it.
    pub(in super::super) fn acted(&self, signal: usize, action: [usize; 4]) {
        let n = self.n_actions.get();
        let known = self.actions[..n].iter().any(|known| known.get().0 == signal);
        if !known && n < N_ACTIONS_MAX {
            self.actions[n].set((signal, action));
            self.n_actions.set(n + 1);
        }
    }
}
