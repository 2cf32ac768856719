//! What a run changes beside memory, so that it can be put back.

use super::{Kept, N_ACTIONS_MAX, N_FILES_MAX, N_MAPS_MAX};

impl Kept {
    /// Whether there is no room to say what a run mapped or changed.
    pub(in super::super) fn is_full(&self) -> bool {
        self.n_maps + 16 >= N_MAPS_MAX || self.n_actions + 1 >= N_ACTIONS_MAX
    }

    /// Whether a range was mapped in this run.
    pub(in super::super) fn is_new(&self, start: usize, len: usize) -> bool {
        let holds = |&(at, n): &(usize, usize)| at <= start && start + len <= at + n;
        self.maps[..self.n_maps].iter().any(holds)
    }

    /// Where the heap ended before the first run.
    pub(in super::super) fn heap_end(&self) -> usize {
        self.heap_end
    }

    /// The program unmapped memory of its own.
    pub(in super::super) fn unmapped(&mut self, start: usize, len: usize) {
        let maps = &mut self.maps[..self.n_maps];
        if let Some(map) = maps.iter_mut().find(|map| **map == (start, len)) {
            *map = (0, 0);
        }
    }

    pub(in super::super) fn opened(&mut self, file: isize) {
        if (0..N_FILES_MAX as isize).contains(&file) {
            self.files[file as usize / 64] |= 1 << (file % 64);
            self.any_file = true;
        }
    }

    pub(in super::super) fn closed(&mut self, file: usize) {
        if file < N_FILES_MAX {
            self.files[file / 64] &= !(1 << (file % 64));
        }
    }

    /// Whether a file was opened in this run.
    pub(in super::super) fn is_own(&self, file: usize) -> bool {
        file < N_FILES_MAX && self.files[file / 64] >> (file % 64) & 1 != 0
    }

    /// How a signal was handled before this run changes it.
    pub(in super::super) fn acted(&mut self, signal: usize, action: [usize; 4]) {
        let known = self.actions[..self.n_actions].iter().any(|known| known.0 == signal);
        if !known && self.n_actions < N_ACTIONS_MAX {
            self.actions[self.n_actions] = (signal, action);
            self.n_actions += 1;
        }
    }
}
