//! Tables with a fixed number of places, which live in a mapping and begin anew in no time.

use raddle_happens::{Table, Times, raise};

/// Some items. Those that are not in use have any values.
pub(super) struct Fixed<T, const N: usize> {
    n: u32,
    items: [T; N],
}

impl<T: Copy, const N: usize> Fixed<T, N> {
    /// No item is in use.
    pub(super) fn clear(&mut self) {
        self.n = 0;
    }
}

impl<T: Copy, const N: usize> Table<T> for Fixed<T, N> {
    #[inline]
    fn len(&self) -> u32 {
        self.n
    }

    #[inline]
    fn get(&self, index: u32) -> &T {
        &self.items[index as usize]
    }

    #[inline]
    fn change(&mut self, index: u32) -> &mut T {
        &mut self.items[index as usize]
    }

    fn push(&mut self, item: T) -> bool {
        let place = self.items.get_mut(self.n as usize).map(|place| *place = item);
        self.n += u32::from(place.is_some());
        place.is_some()
    }
}

impl<const N: usize> Times for Fixed<u32, N> {
    #[inline]
    fn slice(&self, start: u32, n: u32) -> &[u32] {
        &self.items[start as usize..][..n as usize]
    }

    fn grow(&mut self, n: u32) -> bool {
        let has_room = n as usize <= N - self.n as usize;
        self.n += if has_room { n } else { 0 };
        has_room
    }

    #[inline]
    fn copy(&mut self, to: u32, from: u32, n: u32) {
        self.items.copy_within(from as usize..(from + n) as usize, to as usize);
    }

    #[inline]
    fn raise(&mut self, to: u32, from: u32, n: u32) {
        raise(&mut self.items, to, from, n);
    }
}
