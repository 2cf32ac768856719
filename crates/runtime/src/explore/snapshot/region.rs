//! Which memory is put back: what is private and can be written.

use super::{Kept, N_REGIONS_MAX};
use crate::sys::{self, nr};

/// Private memory that can be written.
#[derive(Clone, Copy)]
pub(super) struct Region {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Without the right to write.
    pub(super) rights: usize,
    pub(super) is_stack: bool,
}

/// Finds the private memory that can be written.
pub(super) unsafe fn read_regions(kept: &mut Kept) {
    each_region(&mut |region| {
        if kept.n_regions < N_REGIONS_MAX {
            kept.regions[kept.n_regions] = region;
            kept.n_regions += 1;
        }
        true
    });
}

/// Visits the private memory that can be written, until a visit says no; whether none did.
pub(super) unsafe fn each_region(visit: &mut dyn FnMut(Region) -> bool) -> bool {
    const BUFFER: usize = 1 << 20;
    let buffer = sys::map_kept(BUFFER);
    let file = sys::call3(nr::OPEN, c"/proc/self/maps".as_ptr() as usize, 0, 0);
    let mut len = 0;
    loop {
        let n = sys::call3(nr::READ, file as usize, buffer as usize + len, BUFFER - len);
        if n <= 0 {
            break;
        }
        len += n as usize;
    }
    sys::close(file as i32);
    let text = core::slice::from_raw_parts(buffer, len);
    let all = text.split(|&byte| byte == b'\n').filter_map(region_of).all(visit);
    sys::unmap(buffer, BUFFER);
    all
}

/// `start-end rw-p …`, if it is private and can be written.
fn region_of(line: &[u8]) -> Option<Region> {
    let mut words = line.split(|&byte| byte == b' ');
    let mut ends = words.next()?.split(|&byte| byte == b'-');
    let rights = words.next()?;
    if rights.get(1) != Some(&b'w') || rights.get(3) != Some(&b'p') {
        return None;
    }
    const READ: usize = 1;
    const EXECUTE: usize = 4;
    let has = |place: usize, letter, bit| if rights[place] == letter { bit } else { 0 };
    let rights = has(0, b'r', READ) | has(2, b'x', EXECUTE);
    let (start, end) = (number(ends.next()?)?, number(ends.next()?)?);
    Some(Region { start, end, rights, is_stack: line.ends_with(b"[stack]") })
}

fn number(digits: &[u8]) -> Option<usize> {
    let digit = |number: Option<usize>, &digit: &u8| {
        let value = (digit as char).to_digit(16)?;
        Some(number? * 16 + value as usize)
    };
    digits.iter().fold(Some(0), digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_private_memory_that_can_be_written_is_put_back() {
        let region = region_of(b"7ffd0000-7ffe1000 rw-p 00000000 00:00 0     [stack]").unwrap();
        assert_eq!((region.start, region.end, region.rights), (0x7ffd_0000, 0x7ffe_1000, 1));
        assert!(region.is_stack);
        assert!(region_of(b"1000-2000 r-xp 0 00:00 0").is_none());
        assert!(region_of(b"1000-2000 rw-s 0 00:00 0").is_none());
        assert!(region_of(b"").is_none());
        assert_eq!(region_of(b"1000-2000 rwxp 0 00:00 0").unwrap().rights, 5);
    }
}
