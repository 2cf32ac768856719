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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::boxed::Box;
    use std::collections::BTreeSet;
    use std::vec::Vec;

    fn empty() -> Box<Kept> {
        // SAFETY: zero bytes are one in which nothing has been noted.
        unsafe { Box::<Kept>::new_zeroed().assume_init() }
    }

    proptest! {
        #[test]
        fn files_are_those_of_a_set(changes in vec((0..N_FILES_MAX + 10, any::<bool>()), 0..200)) {
            let (kept, mut set) = (empty(), BTreeSet::new());
            for (file, opens) in changes {
                if opens {
                    kept.opened(file as isize);
                    set.insert(file);
                } else {
                    kept.closed(file);
                    set.remove(&file);
                }
            }
            prop_assert!(kept.any_file.get() || set.iter().all(|&file| file >= N_FILES_MAX));
            for file in 0..N_FILES_MAX {
                prop_assert_eq!(kept.is_own(file), set.contains(&file));
            }
            prop_assert!(!kept.is_own(N_FILES_MAX));
        }

        #[test]
        fn mappings_are_those_of_a_list(
            changes in vec((1..50usize, 1..4usize, any::<bool>()), 0..100),
            (start, len) in (1..60usize, 1..5usize),
        ) {
            let (kept, mut list) = (empty(), Vec::new());
            for (start, len, maps) in changes {
                if maps {
                    kept.maps[list.len()].set((start, len));
                    list.push((start, len));
                    kept.n_maps.set(list.len());
                } else {
                    kept.unmapped(start, len);
                    if let Some(map) = list.iter_mut().find(|map| **map == (start, len)) {
                        *map = (0, 0);
                    }
                }
            }
            let holds = |&(at, n): &(usize, usize)| n > 0 && at <= start && start + len <= at + n;
            prop_assert_eq!(kept.is_new(start, len), list.iter().any(holds));
        }
    }

    #[test]
    fn how_a_signal_was_handled_is_noted_once() {
        let kept = empty();
        kept.acted(10, [1, 2, 3, 4]);
        kept.acted(12, [5; 4]);
        kept.acted(10, [9; 4]);
        assert_eq!(kept.actions[0].get(), (10, [1, 2, 3, 4]));
        assert_eq!((kept.actions[1].get(), kept.n_actions.get()), ((12, [5; 4]), 2));
        (0..2 * N_ACTIONS_MAX).for_each(|signal| kept.acted(signal, [0; 4]));
        assert!(kept.is_full() && kept.n_actions.get() == N_ACTIONS_MAX);
    }
}
