//! Which object files are loaded where: the host needs it to tell places in the source.

use alloc::vec::Vec;
use raddle_wire::{Flags, TextKind};

use crate::host;
use crate::record::Recorder;
use crate::sys;

const MAPS_MAX: usize = 4 << 20;

/// Writes every object file that is loaded into the recording.
pub fn record_all(recorder: &Recorder) {
    if !recorder.is_on() {
        return;
    }
    with_maps(|maps| {
        // The program itself is the first one.
        for (index, module) in modules(maps).iter().enumerate() {
            let range = [module.start.to_le_bytes(), module.end.to_le_bytes()];
            recorder.text(TextKind::Module, &[&range[0], &range[1], module.path]);
            if module.is_unseen() || index == 0 && host::has(Flags::HALF_SEEN) {
                recorder.text(TextKind::Unseen, &[module.path]);
            }
        }
    });
}

/// Whether code is loaded that is not instrumented and may order threads by operations of its own. The runtimes of C and
/// C++ do so only in functions that are taken over.
pub fn any_unseen() -> bool {
    let mut any = false;
    with_maps(|maps| any = modules(maps).iter().any(Module::is_unseen));
    any
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
    // SAFETY: as the caller says.
    let segments = unsafe { segments(base) };
    let written = segments.filter(|it| it.kind == Segment::LOADED && it.is_written());
    written
        .map(|it| (it.start, it.start + it.len))
        .find(|&(start, end)| (start..end).contains(&address))
}

/// A segment of an object file, where it is loaded.
#[derive(Clone, Copy)]
struct Segment {
    kind: u32,
    flags: u32,
    start: u64,
    len: u64,
}

impl Segment {
    const LOADED: u32 = 1;
    const DYNAMIC: u32 = 2;

    fn is_written(&self) -> bool {
        self.flags & 2 != 0
    }
}

/// The segments of an object file that is loaded at `base`; none if it does not begin like one.
///
/// # Safety
/// A mapping of the file's beginning lies there, which holds all of its headers.
unsafe fn segments(base: u64) -> impl Iterator<Item = Segment> {
    // SAFETY: the file's own header.
    let is_elf = unsafe { part::<[u8; 4]>(base, 0) } == *b"\x7fELF";
    let (at, size, n, kind) = match is_elf {
        // SAFETY: as above, if it has one.
        true => unsafe { (part(base, 32), part::<u16>(base, 54), part(base, 56), part(base, 16)) },
        false => (0_u64, 0, 0_u16, 0_u16),
    };
    const FIXED: u16 = 2;
    let shift = if kind == FIXED { 0 } else { base };
    (0..u64::from(n)).map(move |index| at + index * u64::from(size)).map(move |segment| {
        // SAFETY: the header says that there are so many, of this size.
        unsafe {
            Segment {
                kind: part(base, segment),
                flags: part(base, segment + 4),
                start: shift + part::<u64>(base, segment + 16),
                len: part(base, segment + 40),
            }
        }
    })
}

/// A number in memory.
///
/// # Safety
/// It is mapped.
unsafe fn part<T: Copy>(base: u64, offset: u64) -> T {
    // SAFETY: as the caller says; numbers may have any value.
    unsafe { ((base + offset) as *const T).read_unaligned() }
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
    /// Whether its first piece can be read.
    is_readable: bool,
    path: &'a [u8],
}

/// Libraries that do not order threads but by functions that are taken over: how their names begin.
const SEEN: [&[u8]; 22] = [
    b"ld-linux",
    b"libatomic.so",
    b"libbz2.so",
    b"libc++.so",
    b"libc++abi.so",
    b"libc.so",
    b"libcrypt.so",
    b"libdl.so",
    b"libgcc_s.so",
    b"liblzma.so",
    b"libm.so",
    b"libnss_",
    b"libpthread.so",
    b"libraddle_runtime",
    b"libresolv.so",
    b"librt.so",
    b"libstdc++.so",
    b"libtsan.so",
    b"libubsan.so",
    b"libunwind.so",
    b"libz.so",
    b"libzstd.so",
];

impl Module<'_> {
    /// Whether what it does is not seen, and may order threads.
    fn is_unseen(&self) -> bool {
        let name = self.path.rsplit(|&byte| byte == b'/').next().unwrap_or(self.path);
        if SEEN.iter().any(|seen| name.starts_with(seen)) {
            return false;
        }
        // SAFETY: an object file begins with its header where it is loaded, and its first piece can be read.
        !self.is_readable || !unsafe { is_instrumented(self.start, self.end) }
    }
}

/// Whether an object file, loaded from `base` to `end`, imports the functions that instrumented code calls.
///
/// # Safety
/// A mapping of the file's beginning lies there, which holds all of its headers.
unsafe fn is_instrumented(base: u64, end: u64) -> bool {
    const STRINGS: u64 = 5;
    const STRINGS_LEN: u64 = 10;
    const PREFIX: &[u8] = b"\0__tsan_";
    // SAFETY: as the caller says.
    let Some(segment) = (unsafe { segments(base) }).find(|it| it.kind == Segment::DYNAMIC) else {
        return false;
    };
    let is_inside = |start: u64, len: u64| {
        start >= base && start.checked_add(len).is_some_and(|behind| behind <= end)
    };
    if !is_inside(segment.start, segment.len) {
        return false;
    }
    let entries = (segment.start..segment.start + segment.len / 16 * 16).step_by(16);
    let find = |tag: u64| {
        // SAFETY: the entries of the dynamic section, which is loaded: a tag and a value each.
        let entry = |at: u64| unsafe { (part::<u64>(at, 0), part::<u64>(at, 8)) };
        let mut known = entries.clone().map(entry).take_while(|entry| entry.0 != 0);
        known.find(|entry| entry.0 == tag).map(|entry| entry.1)
    };
    let (Some(strings), Some(len)) = (find(STRINGS), find(STRINGS_LEN)) else { return false };
    // The dynamic linker has made an address of it, unless the section cannot be written.
    let strings = if strings < base { strings + base } else { strings };
    if !is_inside(strings, len) {
        return false;
    }
    // SAFETY: the names of its dynamic symbols, which are loaded.
    let names = unsafe { core::slice::from_raw_parts(strings as *const u8, len as usize) };
    names.windows(PREFIX.len()).any(|name| name == PREFIX)
}

/// A line of `/proc/self/maps`.
struct Line<'a> {
    range: (u64, u64),
    reads: bool,
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
        let may = |at: usize, right: u8| rights.get(at) == Some(&right);
        Some(Line { range, reads: may(0, b'r'), executes: may(2, b'x'), path })
    })
}

/// The object files in the text of `/proc/self/maps`: those with a piece that can be executed.
fn modules(maps: &[u8]) -> Vec<Module<'_>> {
    let mut found: Vec<(Module<'_>, bool)> = Vec::new();
    for Line { range: (start, end), reads, executes, path } in lines(maps) {
        if path.is_empty() {
            continue;
        }
        match found.iter_mut().find(|(module, _)| module.path == path) {
            Some((module, any)) => {
                module.end = module.end.max(end);
                *any |= executes;
            }
            None => found.push((Module { start, end, is_readable: reads, path }, executes)),
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
            [Module { start: 0x5555_5555_4000, end: 0x5555_5555_6000, is_readable: true, path }]
        );
    }

    #[test]
    fn libraries_of_c_are_seen_and_what_cannot_be_looked_at_is_not() {
        let maps = |path: &str, rights: &str| {
            alloc::format!("7ffff7c00000-7ffff7c28000 {rights} 00000000 fe:00 2  /usr/lib/{path}\n")
        };
        let is_unseen =
            |path: &str, rights: &str| modules(maps(path, rights).as_bytes())[0].is_unseen();
        assert!(!is_unseen("libc.so.6", "r-xp") && !is_unseen("libstdc++.so.6.0.30", "--xp"));
        assert!(is_unseen("libgomp.so.1", "--xp"));
    }

    #[test]
    fn this_program_is_not_instrumented() {
        let mut own = None;
        with_maps(|maps| own = modules(maps).first().map(Module::is_unseen));
        assert_eq!(own, Some(true));
    }
}
