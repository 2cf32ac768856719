//! Which object files are loaded where: the host needs it to tell places in the source.

use alloc::vec::Vec;
use raddle_wire::TextKind;

use crate::record::Recorder;
use crate::sys;

const MAPS_MAX: usize = 4 << 20;

/// Writes every object file that is loaded into the recording.
pub fn record_all(recorder: &Recorder) {
    if !recorder.is_on() {
        return;
    }
    with_maps(|maps| {
        for module in modules(maps) {
            let range = [module.start.to_le_bytes(), module.end.to_le_bytes()];
            recorder.text(TextKind::Module, &[&range[0], &range[1], module.path]);
        }
    });
}

/// The mapping that an address is in.
pub fn text_around(address: u64) -> Option<(u64, u64)> {
    let mut found = None;
    with_maps(|maps| {
        found = lines(maps)
            .map(|line| line.range)
            .find(|&(start, end)| (start..end).contains(&address));
    });
    found
}

/// Where the variables are of the object file that has an address: what it loads to be written.
pub fn data_around(address: u64) -> Option<(u64, u64)> {
    let mut found = None;
    with_maps(|maps| {
        let Some(line) = lines(maps).find(|line| (line.range.0..line.range.1).contains(&address))
        else {
            return;
        };
        // Variables without a value have no file: the file is the one in front of them.
        let before = || lines(maps).filter(|other| other.range.0 <= line.range.0);
        let Some(path) = before().map(|other| other.path).filter(|path| !path.is_empty()).last()
        else {
            return;
        };
        let base = before().find(|other| other.path == path).map(|other| other.range.0);
        // SAFETY: an object file begins with its header where it is loaded.
        found = base.and_then(|base| unsafe { written_segment(base, address) });
    });
    found
}

/// The segment of an object file, loaded at `base`, that can be written and has an address.
///
/// # Safety
/// A mapping of the file's beginning lies there, which holds all of its headers.
unsafe fn written_segment(base: u64, address: u64) -> Option<(u64, u64)> {
    const LOADED: u32 = 1;
    const WRITE: u32 = 2;
    /// A part of the file's beginning.
    ///
    /// # Safety
    /// It is mapped.
    unsafe fn part<T: Copy>(base: u64, offset: u64) -> T {
        // SAFETY: as the caller says; numbers may have any value.
        unsafe { ((base + offset) as *const T).read_unaligned() }
    }
    // SAFETY: the file's own header.
    if unsafe { part::<[u8; 4]>(base, 0) } != *b"\x7fELF" {
        return None;
    }
    // SAFETY: as above.
    let (at, size, n) =
        unsafe { (part::<u64>(base, 32), part::<u16>(base, 54), part::<u16>(base, 56)) };
    (0..u64::from(n)).map(|index| at + index * u64::from(size)).find_map(|segment| {
        // SAFETY: the header says that there are so many, of this size.
        let (kind, flags) = unsafe { (part::<u32>(base, segment), part::<u32>(base, segment + 4)) };
        // SAFETY: as above.
        let (start, len) =
            unsafe { (part::<u64>(base, segment + 16), part::<u64>(base, segment + 40)) };
        let (start, end) = (base + start, base + start + len);
        let is_it = kind == LOADED && flags & WRITE != 0 && (start..end).contains(&address);
        is_it.then_some((start, end))
    })
}

fn with_maps(act: impl FnOnce(&[u8])) {
    let buffer = sys::map(MAPS_MAX);
    if buffer.is_null() {
        return;
    }
    // SAFETY: just mapped, with so many bytes, which are zero.
    let text = unsafe { core::slice::from_raw_parts_mut(buffer, MAPS_MAX) };
    let len = sys::read_file(c"/proc/self/maps", text);
    act(&text[..len]);
    // SAFETY: the whole mapping; no reference into it is left.
    unsafe { sys::unmap(buffer, MAPS_MAX) };
}

/// An object file in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Module<'a> {
    start: u64,
    end: u64,
    path: &'a [u8],
}

/// A line of `/proc/self/maps`.
struct Line<'a> {
    range: (u64, u64),
    executes: bool,
    /// Empty if the mapping has no file.
    path: &'a [u8],
}

fn lines(maps: &[u8]) -> impl Iterator<Item = Line<'_>> {
    maps.split(|&byte| byte == b'\n').filter_map(|line| {
        let mut words = line.split(|&byte| byte == b' ');
        let (range, rights) = (words.next()?, words.next()?);
        let mut ends = range.split(|&byte| byte == b'-').map(hexadecimal);
        let range = (ends.next()?, ends.next()?);
        let path = line.iter().position(|&byte| byte == b'/').map_or(&[][..], |at| &line[at..]);
        Some(Line { range, executes: rights.get(2) == Some(&b'x'), path })
    })
}

/// The object files in the text of `/proc/self/maps`: those with a piece that can be executed.
fn modules(maps: &[u8]) -> Vec<Module<'_>> {
    let mut found: Vec<(Module<'_>, bool)> = Vec::new();
    for Line { range: (start, end), executes, path } in lines(maps) {
        if path.is_empty() {
            continue;
        }
        match found.iter_mut().find(|(module, _)| module.path == path) {
            Some((module, any)) => {
                module.end = module.end.max(end);
                *any |= executes;
            }
            None => found.push((Module { start, end, path }, executes)),
        }
    }
    found.into_iter().filter(|&(_, executes)| executes).map(|(module, _)| module).collect()
}

fn hexadecimal(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |value, &digit| {
        let digit = (digit as char).to_digit(16).unwrap_or(0);
        value << 4 | u64::from(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_file_are_one_module_and_data_is_none() {
        let maps = b"555555554000-555555555000 r--p 00000000 fe:00 1  /a b/prog\n\
            555555555000-555555556000 r-xp 00001000 fe:00 1  /a b/prog\n\
            7ffff7c00000-7ffff7c28000 r--p 00000000 fe:00 2  /usr/lib/locale\n\
            7ffff7ffd000-7ffff7fff000 rw-p 00000000 00:00 0  [stack]\n";
        let path = b"/a b/prog".as_slice();
        assert_eq!(
            modules(maps),
            [Module { start: 0x5555_5555_4000, end: 0x5555_5555_6000, path }]
        );
    }
}
