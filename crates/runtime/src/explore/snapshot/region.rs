//! Which memory is put back: what is private and can be written.

use super::Kept;
use crate::sys;

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
pub(super) fn read_regions(kept: &Kept) {
    each_region(&mut |region| {
        let n = kept.n_regions.get();
        if let Some(place) = kept.regions.get(n) {
            place.set(region);
            kept.n_regions.set(n + 1);
        }
        true
    });
}

/// Visits the private memory that can be written, until a visit says no; whether none did.
pub(super) fn each_region(visit: &mut dyn FnMut(Region) -> bool) -> bool {
    const BUFFER: usize = 1 << 20;
    let buffer = sys::map_kept(BUFFER);
    assert!(!buffer.is_null(), "there is memory for the list of mappings");
    // SAFETY: just mapped, with so many bytes, which are zero.
    let text = unsafe { core::slice::from_raw_parts_mut(buffer, BUFFER) };
    let len = sys::read_file(c"/proc/self/maps", text);
    let all = text[..len].split(|&byte| byte == b'\n').filter_map(region_of).all(visit);
    // SAFETY: the whole mapping; no reference into it is left.
    unsafe { sys::unmap(buffer, BUFFER) };
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
