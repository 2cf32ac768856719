//! Shadow memory: who touched which memory, eight bytes at a time.
//!
//! In: touches of all threads. Out: whether more than one thread touched some bytes, and who was
//! first. Pages that one touch covers, or that were not looked at closely, are one number; others
//! have one for each granule. Three levels of tables make a look-up three loads.
//!
//! There is a limit of pages, so that a hostile recording cannot ask for any amount of memory, and one of the pages
//! that large touches and questions may go through, so that it cannot take any amount of time. What is beyond counts as
//! shared, which only means that more is kept.

use std::cell::Cell;

/// Bytes that share an entry.
const GRANULE: u64 = 8;
const PAGE_BITS: u32 = 12;
const GRANULES: usize = 1 << (PAGE_BITS - 3);
const TABLE_BITS: u32 = 10;
const TABLE: usize = 1 << TABLE_BITS;
const ROOT_BITS: u32 = 48 - PAGE_BITS - 2 * TABLE_BITS;

/// More than one thread.
const SHARED: u16 = 1 << 15;
/// A thread whose number does not fit.
const UNNAMED: u16 = SHARED - 1;

/// An entry of the last level: below this the same for all granules, else a page plus this.
const PAGES: u32 = 1 << 16;

const NONE: u32 = u32::MAX;

/// Touches of more pages are large.
const SMALL: u64 = 1 << 10;
/// How many pages large ones may go through in any recording, and how many more for each of its records.
const BUDGET: u64 = 1 << 22;
const BUDGET_PER_RECORD: u64 = 256;
/// So many large touches are remembered that were too much; more are one of everything.
const N_BEYOND: usize = 64;

/// Who touched what.
pub(super) struct Shadow {
    root: Vec<u32>,
    /// Each entry is a table of the last level.
    middle: Vec<[u32; TABLE]>,
    last: Vec<[u32; TABLE]>,
    pages: Vec<[u16; GRANULES]>,
    max_tables: usize,
    max_pages: usize,
    /// Some touch found no room for a table.
    full: bool,
    /// How many more pages large touches and questions may go through.
    budget: Cell<u64>,
    /// The first and the last page of each large touch that was too much.
    beyond: Vec<(u64, u64)>,
}

impl Shadow {
    /// Shadow for a recording of so many records.
    pub(super) fn new(n_records: u64) -> Shadow {
        let max_pages = (n_records / 16).clamp(1 << 14, 1 << 20) as usize;
        Shadow {
            root: vec![NONE; 1 << ROOT_BITS],
            middle: Vec::new(),
            last: Vec::new(),
            pages: Vec::new(),
            max_tables: max_pages / 4,
            max_pages,
            full: false,
            budget: Cell::new(BUDGET + BUDGET_PER_RECORD * n_records),
            beyond: Vec::new(),
        }
    }

    /// Whether so many pages may be gone through.
    #[inline]
    fn affords(&self, n_pages: u64) -> bool {
        n_pages <= SMALL || {
            let left = self.budget.get().checked_sub(n_pages);
            left.inspect(|&left| self.budget.set(left)).is_some()
        }
    }

    /// A thread touches some bytes.
    #[inline]
    pub(super) fn touch(&mut self, thread: u32, address: u64, size: u64) {
        let owner = u16::try_from(thread).map_or(UNNAMED, |t| t.saturating_add(1).min(UNNAMED));
        let (first, last) = granules(address, size);
        let pages = (first / GRANULES as u64, last / GRANULES as u64);
        if !self.affords(pages.1 - pages.0 + 1) {
            match self.beyond.len() < N_BEYOND {
                true => self.beyond.push(pages),
                false => self.beyond = vec![(0, u64::MAX)],
            }
            return;
        }
        for page in pages.0..=pages.1 {
            let start = page * GRANULES as u64;
            let from = first.saturating_sub(start) as usize;
            let to = (last - start).min(GRANULES as u64 - 1) as usize;
            self.touch_page(owner, page, from, to);
        }
    }

    #[inline]
    fn touch_page(&mut self, owner: u16, page: u64, from: usize, to: usize) {
        let Some((table, slot)) = self.entry(page) else { return };
        let entry = self.last[table][slot];
        if let Some(page) = entry.checked_sub(PAGES) {
            let granules = &mut self.pages[page as usize][from..=to];
            granules.iter_mut().for_each(|granule| *granule = joined(*granule, owner));
            return;
        }
        let all = joined(entry as u16, owner);
        if u32::from(all) == entry || to - from == GRANULES - 1 {
            self.last[table][slot] = all.into();
        } else if self.pages.len() < self.max_pages {
            let mut granules = [entry as u16; GRANULES];
            granules[from..=to].fill(all);
            self.last[table][slot] = PAGES + self.pages.len() as u32;
            self.pages.push(granules);
        } else {
            self.last[table][slot] = (all | SHARED).into();
        }
    }

    /// Where the entry of a page is; makes the tables before it.
    #[inline]
    fn entry(&mut self, page: u64) -> Option<(usize, usize)> {
        let (root, middle, slot) = indexes(page);
        let mut at = self.root[root];
        if at == NONE {
            if self.middle.len() >= self.max_tables {
                self.full = true;
                return None;
            }
            at = self.middle.len() as u32;
            self.middle.push([NONE; TABLE]);
            self.root[root] = at;
        }
        let table = &mut self.middle[at as usize][middle];
        if *table == NONE {
            if self.last.len() >= self.max_tables {
                self.full = true;
                return None;
            }
            *table = self.last.len() as u32;
            self.last.push([0; TABLE]);
        }
        Some((*table as usize, slot))
    }

    /// Whether more than one thread touched any of the bytes.
    #[inline]
    pub(super) fn is_shared(&self, address: u64, size: u64) -> bool {
        let (first, last) = granules(address, size);
        let pages = (first / GRANULES as u64, last / GRANULES as u64);
        let is_beyond = |&(from, to): &(u64, u64)| from <= pages.1 && pages.0 <= to;
        if self.beyond.iter().any(is_beyond) || !self.affords(pages.1 - pages.0 + 1) {
            return true;
        }
        (pages.0..=pages.1).any(|page| {
            let start = page * GRANULES as u64;
            let from = first.saturating_sub(start) as usize;
            let to = (last - start).min(GRANULES as u64 - 1) as usize;
            self.page_is_shared(page, from, to)
        })
    }

    #[inline]
    fn page_is_shared(&self, page: u64, from: usize, to: usize) -> bool {
        let Some(entry) = self.look(page) else { return true };
        match entry.checked_sub(PAGES) {
            None => entry as u16 & SHARED != 0,
            Some(page) => self.pages[page as usize][from..=to].iter().any(|g| g & SHARED != 0),
        }
    }

    /// Who touched an address first, if that is known.
    pub(super) fn first(&self, address: u64) -> Option<u32> {
        let (granule, _) = granules(address, 1);
        let entry = self.look(granule / GRANULES as u64)?;
        let owner = match entry.checked_sub(PAGES) {
            None => entry as u16,
            Some(page) => self.pages[page as usize][granule as usize % GRANULES],
        };
        let owner = owner & !SHARED;
        (owner != 0 && owner != UNNAMED).then(|| u32::from(owner) - 1)
    }

    /// The entry of a page; none where there may have been no room for one.
    #[inline]
    fn look(&self, page: u64) -> Option<u32> {
        let (root, middle, slot) = indexes(page);
        let table = self.middle.get(self.root[root] as usize).map_or(NONE, |table| table[middle]);
        match self.last.get(table as usize) {
            Some(table) => Some(table[slot]),
            None => (!self.full).then_some(0),
        }
    }
}

#[inline]
fn joined(owner: u16, other: u16) -> u16 {
    match owner {
        0 if other == UNNAMED => UNNAMED | SHARED,
        0 => other,
        _ if owner & !SHARED == other => owner,
        _ => owner | SHARED,
    }
}

/// The first and the last granule of some bytes below 2^48.
#[inline]
fn granules(address: u64, size: u64) -> (u64, u64) {
    const LAST: u64 = (1 << 48) / GRANULE - 1;
    let end = address + size.max(1) - 1;
    ((address / GRANULE).min(LAST), (end / GRANULE).min(LAST))
}

#[inline]
fn indexes(page: u64) -> (usize, usize, usize) {
    let part = |shift: u32, bits: u32| (page >> shift) as usize & ((1 << bits) - 1);
    (part(2 * TABLE_BITS, ROOT_BITS), part(TABLE_BITS, TABLE_BITS), part(0, TABLE_BITS))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_beyond_the_limit_counts_as_shared() {
        let mut shadow = Shadow::new(0);
        for page in 0..2 << 14 {
            shadow.touch(0, page << PAGE_BITS, 8);
        }
        assert!(!shadow.is_shared(0, 8));
        assert!(shadow.is_shared((2 << (14 + PAGE_BITS)) - 4096, 8));
    }

    #[test]
    fn ranges_of_any_size_take_little_time() {
        let mut shadow = Shadow::new(0);
        shadow.touch(0, 4 << 30, 1 << 30);
        assert!(!shadow.is_shared(4 << 30, 1 << 30));
        assert!(!shadow.is_shared(1 << 30, 8));
        for _ in 0..10_000 {
            shadow.touch(0, 8 << 30, 1 << 47);
        }
        assert!(shadow.is_shared(9 << 30, 8));
        assert!(shadow.is_shared(0, 1 << 47));
    }

    #[test]
    fn threads_with_large_numbers_share() {
        let mut shadow = Shadow::new(0);
        shadow.touch(40_000, 64, 8);
        assert!(shadow.is_shared(64, 1));
        assert_eq!(shadow.first(64), None);
    }

    proptest! {
        #[test]
        fn it_says_what_a_map_of_granules_says(
            touches in prop::collection::vec((0u32..3, 0u64..20_000, 1u64..9000), 0..30),
            base in prop::sample::select(vec![0, 0x7fff_ffff_0000, 0x5555_5555_4ff8]),
        ) {
            let mut shadow = Shadow::new(0);
            let mut map: BTreeMap<u64, (u32, bool)> = BTreeMap::new();
            for &(thread, address, size) in &touches {
                shadow.touch(thread, base + address, size);
                for granule in (base + address) / 8..=(base + address + size - 1) / 8 {
                    let seen = map.entry(granule).or_insert((thread, false));
                    seen.1 |= seen.0 != thread;
                }
            }
            for granule in base / 8..(base + 30_000) / 8 {
                let seen = map.get(&granule);
                let shared = seen.is_some_and(|seen| seen.1);
                prop_assert_eq!(shadow.is_shared(granule * 8, 8), shared);
                prop_assert_eq!(shadow.first(granule * 8), seen.map(|seen| seen.0));
            }
        }
    }
}
