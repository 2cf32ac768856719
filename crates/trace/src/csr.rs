//! Compressed rows: for each of n keys, the ascending list of the ids that belong to it.

/// Rows of ids, all in one array.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rows<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> Rows<T> {
    /// Builds `n_rows` rows from `pairs`, a function that yields every (row, item) in the order
    /// the rows shall have, the same each time it is called.
    pub(crate) fn build<I: Iterator<Item = (u32, T)>>(
        n_rows: usize,
        pairs: impl Fn() -> I,
    ) -> Rows<T> {
        let mut starts = vec![0u32; n_rows + 1];
        for (row, _) in pairs() {
            starts[row as usize + 1] += 1;
        }
        for row in 0..n_rows {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut items = vec![T::default(); starts[n_rows] as usize];
        for (row, item) in pairs() {
            let at = &mut next[row as usize];
            items[*at as usize] = item;
            *at += 1;
        }
        Rows { starts, items }
    }

    /// One row.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[T] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    pub(crate) fn memory(&self) -> usize {
        4 * self.starts.capacity() + size_of::<T>() * self.items.capacity()
    }
}
