//! Where things are kept: tables that grow at their ends, as an engine has them.

/// A table of small items.
pub trait Table<T: Copy> {
    /// How many there are.
    fn len(&self) -> u32;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them.
    fn get(&self, index: u32) -> &T;

    /// One of them, to be changed.
    fn change(&mut self, index: u32) -> &mut T;

    /// Adds one; false if there is no room.
    fn push(&mut self, item: T) -> bool;
}

/// A table of numbers, which clocks are made of.
pub trait Times: Table<u32> {
    /// The numbers from one on.
    fn slice(&self, start: u32, n: u32) -> &[u32];

    /// Adds some, whatever they are; false if there is no room.
    fn grow(&mut self, n: u32) -> bool;

    /// Makes the numbers from `to` on at least as large as those from `from` on, which are others.
    fn raise(&mut self, to: u32, from: u32, n: u32) {
        for index in 0..n {
            let time = *self.get(from + index);
            if time > *self.get(to + index) {
                *self.change(to + index) = time;
            }
        }
    }

    /// Makes the numbers from `to` on equal to those from `from` on, which are others.
    fn copy(&mut self, to: u32, from: u32, n: u32) {
        for index in 0..n {
            self.set(to + index, *self.get(from + index));
        }
    }

    /// Sets a number.
    #[inline]
    fn set(&mut self, index: u32, time: u32) {
        *self.change(index) = time;
    }
}

/// [`Times::raise`] for what is a slice.
#[inline]
pub fn raise(times: &mut [u32], to: u32, from: u32, n: u32) {
    let (to, from, n) = (to as usize, from as usize, n as usize);
    let (low, high) = times.split_at_mut(to.max(from));
    let (to, from) = if to < from { (&mut low[to..], &*high) } else { (high, &low[from..]) };
    for (time, &other) in to.iter_mut().zip(&from[..n]) {
        *time = other.max(*time);
    }
}
