//! Columns: numbers as bytes.
//!
//! Single numbers are LEB128. A column of numbers is cut into *planes*: the lowest byte of every
//! number, then the next byte of every number, and so on up to the widest. Bytes of one plane are
//! alike, which is what the compressor lives on, and joining planes is what vector units do best.

use crate::format::BlockProblem;

const CUT: BlockProblem = BlockProblem::Content("a column ends too early");

/// The content of a block, with the places where bytes of another kind begin; the compressor
/// starts afresh there.
#[derive(Default)]
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    pub(super) cuts: Vec<usize>,
}

impl Content {
    /// Says that what follows is of another kind.
    fn cut(&mut self) {
        const WORTH_IT: usize = 1 << 10;
        if self.bytes.len() - self.cuts.last().unwrap_or(&0) >= WORTH_IT {
            self.cuts.push(self.bytes.len());
        }
    }

    /// Appends bytes of one kind.
    pub(super) fn column(&mut self, bytes: impl Iterator<Item = u8>) {
        self.cut();
        self.bytes.extend(bytes);
        self.cut();
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn number(&mut self, n: u64) {
        put_number(&mut self.bytes, n);
    }

    /// Numbers as planes, preceded by the number of planes.
    pub(super) fn planes(&mut self, numbers: &[u64]) {
        let all = numbers.iter().fold(0, |all, n| all | n);
        let width = (64 - all.leading_zeros()).div_ceil(8);
        self.byte(width as u8);
        for plane in 0..width {
            self.column(numbers.iter().map(|n| (n >> (8 * plane)) as u8));
        }
    }

    /// Ids as their ranks among the ids that occur: the number of these, the distances between
    /// them, then the rank of each id as planes.
    pub(super) fn ranks(&mut self, ids: &[u32]) {
        let mut occurring = ids.to_vec();
        occurring.sort_unstable();
        occurring.dedup();
        self.number(occurring.len() as u64);
        let mut last = 0;
        for &id in &occurring {
            self.number(u64::from(id - last));
            last = id;
        }
        let rank = |id: &u32| occurring.partition_point(|o| o < id) as u64;
        self.planes(&ids.iter().map(rank).collect::<Vec<_>>());
    }

    /// A flag an item, eight to a byte.
    pub(super) fn flags(&mut self, flags: &[bool]) {
        let byte =
            |flags: &[bool]| flags.iter().rev().fold(0, |byte, &flag| byte << 1 | u8::from(flag));
        self.column(flags.chunks(8).map(byte));
    }
}

pub(super) fn put_number(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Reads from the front of a block's content.
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(content: &'a [u8]) -> Cursor<'a> {
        Cursor { rest: content }
    }

    pub(super) fn bytes(&mut self, n: usize) -> Result<&'a [u8], BlockProblem> {
        let (bytes, rest) = self.rest.split_at_checked(n).ok_or(CUT)?;
        self.rest = rest;
        Ok(bytes)
    }

    #[inline]
    pub(super) fn number(&mut self) -> Result<u64, BlockProblem> {
        let mut n = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or(CUT)?;
            self.rest = rest;
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(n);
            }
        }
        Err(BlockProblem::Content("a number is too long"))
    }

    /// A number that counts or names things, of which there are fewer than 2³².
    #[inline]
    pub(super) fn id(&mut self) -> Result<u32, BlockProblem> {
        u32::try_from(self.number()?).map_err(|_| BlockProblem::Content("an id is too large"))
    }

    /// The planes of `n` numbers of at most `max_width` bytes.
    pub(super) fn planes(
        &mut self,
        n: usize,
        max_width: usize,
    ) -> Result<Planes<'a>, BlockProblem> {
        let width = self.bytes(1)?[0] as usize;
        if width > max_width {
            return Err(BlockProblem::Content("a column is too wide"));
        }
        Ok(Planes { n, bytes: self.bytes(n * width)? })
    }

    /// `n` ids that were written as ranks.
    pub(super) fn ranks(&mut self, n: usize, out: &mut Vec<u32>) -> Result<(), BlockProblem> {
        const UNKNOWN: BlockProblem = BlockProblem::Content("a rank is too large");
        let n_occurring = self.id()? as usize;
        if n_occurring > n {
            return Err(UNKNOWN);
        }
        let mut occurring = Vec::with_capacity(n_occurring);
        let mut last = 0u32;
        for _ in 0..n_occurring {
            last = last.wrapping_add(self.id()?);
            occurring.push(last);
        }
        let start = out.len();
        self.planes(n, 4)?.join(out, |rank| rank);
        for rank in &mut out[start..] {
            *rank = *occurring.get(*rank as usize).ok_or(UNKNOWN)?;
        }
        Ok(())
    }

    /// `n` flags.
    pub(super) fn flags(
        &mut self,
        n: usize,
    ) -> Result<impl Fn(usize) -> bool + use<'a>, BlockProblem> {
        let bytes = self.bytes(n.div_ceil(8))?;
        Ok(move |i: usize| bytes[i / 8] >> (i % 8) & 1 == 1)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn finish(&self) -> Result<(), BlockProblem> {
        match self.rest {
            [] => Ok(()),
            _ => Err(BlockProblem::Content("bytes are left over")),
        }
    }
}

/// A column of numbers, still in planes.
pub(super) struct Planes<'a> {
    n: usize,
    bytes: &'a [u8],
}

impl Planes<'_> {
    /// Joins the planes to numbers of at most four bytes, each mapped by `map`.
    pub(super) fn join(&self, out: &mut Vec<u32>, map: impl Fn(u32) -> u32) {
        let n = self.n;
        let plane = |p: usize| &self.bytes[p * n..(p + 1) * n];
        let wide = |b: u8, shift: u32| u32::from(b) << shift;
        match self.bytes.len().checked_div(n).unwrap_or(0) {
            0 => out.extend(std::iter::repeat_n(map(0), n)),
            1 => out.extend(plane(0).iter().map(|&a| map(a.into()))),
            2 => {
                let low = plane(0).iter().zip(plane(1));
                out.extend(low.map(|(&a, &b)| map(wide(a, 0) | wide(b, 8))));
            }
            3 => {
                let low = plane(0).iter().zip(plane(1)).zip(plane(2));
                out.extend(low.map(|((&a, &b), &c)| map(wide(a, 0) | wide(b, 8) | wide(c, 16))));
            }
            _ => {
                let low = plane(0).iter().zip(plane(1)).zip(plane(2).iter().zip(plane(3)));
                out.extend(low.map(|((&a, &b), (&c, &d))| {
                    map(wide(a, 0) | wide(b, 8) | wide(c, 16) | wide(d, 24))
                }));
            }
        }
    }

    /// Number `i`, of any width.
    pub(super) fn get(&self, i: usize) -> u64 {
        let planes = self.bytes.chunks_exact(self.n.max(1)).enumerate();
        planes.fold(0, |n, (p, plane)| n | u64::from(plane[i]) << (8 * p))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(numbers: &[u64]) {
        let mut content = Content::default();
        content.planes(numbers);
        let mut cursor = Cursor::new(&content.bytes);
        let planes = cursor.planes(numbers.len(), 8).unwrap();
        let found: Vec<u64> = (0..numbers.len()).map(|i| planes.get(i)).collect();
        assert_eq!(found, numbers);
        if numbers.iter().all(|&n| n <= u32::MAX.into()) {
            let mut joined = Vec::new();
            planes.join(&mut joined, |n| n);
            assert!(joined.iter().map(|&n| u64::from(n)).eq(numbers.iter().copied()));
        }
        cursor.finish().unwrap();
    }

    #[test]
    fn planes_of_every_width_join_again() {
        check(&[]);
        check(&[0, 0, 0]);
        for bits in 1..=64 {
            check(&[u64::MAX >> (64 - bits), 1, 0]);
        }
    }

    #[test]
    fn ranks_and_flags_are_read_back() {
        let ids = [7, u32::MAX, 0, 7, 7, 300];
        let flags = [true, false, false, true, true, false, false, false, true];
        let mut content = Content::default();
        content.ranks(&ids);
        content.flags(&flags);
        let mut cursor = Cursor::new(&content.bytes);
        let mut found = Vec::new();
        cursor.ranks(ids.len(), &mut found).unwrap();
        assert_eq!(found, ids);
        let flag = cursor.flags(flags.len()).unwrap();
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7, 8].map(flag), flags);
        cursor.finish().unwrap();
    }

    #[test]
    fn numbers_of_every_length_are_read_back() {
        for bits in 0..64 {
            let mut bytes = Vec::new();
            put_number(&mut bytes, 1 << bits);
            assert_eq!(Cursor::new(&bytes).number(), Ok(1 << bits));
        }
        assert!(Cursor::new(&[0xff; 11]).number().is_err());
        assert!(Cursor::new(&[0x80]).number().is_err());
    }
}
