//! What orders the threads of an execution, in lists that keep their memory from run to run.

use raddle_happens::{Happens, Head, Table, Thread, Times, raise};

/// What orders the threads of an execution.
pub(crate) type Orders = Happens<List<u32>, List<Thread>, List<Head>>;

/// A list that grows as far as there is memory.
#[derive(Debug)]
pub(crate) struct List<T>(Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        List(Vec::new())
    }
}

/// Drops everything but the memory.
pub(super) fn clear(orders: &mut Orders) {
    let (times, threads, heads) = orders.tables_mut();
    times.0.clear();
    threads.0.clear();
    heads.0.clear();
    orders.begin();
}

impl<T: Copy> Table<T> for List<T> {
    #[inline]
    fn len(&self) -> u32 {
        self.0.len() as u32
    }

    #[inline]
    fn get(&self, index: u32) -> &T {
        &self.0[index as usize]
    }

    #[inline]
    fn change(&mut self, index: u32) -> &mut T {
        &mut self.0[index as usize]
    }

    fn push(&mut self, item: T) -> bool {
        self.0.push(item);
        true
    }
}

impl Times for List<u32> {
    #[inline]
    fn slice(&self, start: u32, n: u32) -> &[u32] {
        &self.0[start as usize..][..n as usize]
    }

    fn grow(&mut self, n: u32) -> bool {
        self.0.resize(self.0.len() + n as usize, 0);
        true
    }

    #[inline]
    fn copy(&mut self, to: u32, from: u32, n: u32) {
        self.0.copy_within(from as usize..(from + n) as usize, to as usize);
    }

    #[inline]
    fn raise(&mut self, to: u32, from: u32, n: u32) {
        raise(&mut self.0, to, from, n);
    }
}
