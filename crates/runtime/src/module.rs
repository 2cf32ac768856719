//! Which object files are loaded where: the host needs it to tell places in the source.

use alloc::vec::Vec;
use raddle_wire::TextKind;

use crate::record::Recorder;
use crate::sys::{self, nr};

const MAPS_MAX: usize = 4 << 20;

/// Writes every object file that is loaded into the recording.
pub fn record_all(recorder: &Recorder) {
    if !recorder.is_on() {
        return;
    }
    let buffer = sys::map(MAPS_MAX);
    if buffer.is_null() {
        return;
    }
    let len = read_maps(buffer);
    // SAFETY: so many bytes were read.
    let text = unsafe { core::slice::from_raw_parts(buffer, len) };
    for module in modules(text) {
        let range = [module.start.to_le_bytes(), module.end.to_le_bytes()];
        recorder.text(TextKind::Module, &[&range[0], &range[1], module.path]);
    }
    // SAFETY: nobody has kept a part of it.
    unsafe { sys::unmap(buffer, MAPS_MAX) };
}

fn read_maps(buffer: *mut u8) -> usize {
    let path = c"/proc/self/maps".as_ptr() as usize;
    let mut len = 0;
    // SAFETY: the buffer has `MAPS_MAX` bytes.
    unsafe {
        let fd = sys::call3(nr::OPEN, path, 0, 0);
        if fd < 0 {
            return 0;
        }
        while len < MAPS_MAX {
            let n = sys::call3(nr::READ, fd as usize, buffer as usize + len, MAPS_MAX - len);
            if n <= 0 {
                break;
            }
            len += n as usize;
        }
        sys::close(fd as i32);
    }
    len
}

/// An object file in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Module<'a> {
    start: u64,
    end: u64,
    path: &'a [u8],
}

/// The object files in the text of `/proc/self/maps`: those with a piece that can be executed.
fn modules(maps: &[u8]) -> Vec<Module<'_>> {
    let mut found: Vec<(Module<'_>, bool)> = Vec::new();
    for line in maps.split(|&byte| byte == b'\n') {
        let Some(slash) = line.iter().position(|&byte| byte == b'/') else { continue };
        let mut words = line.split(|&byte| byte == b' ');
        let (Some(range), Some(rights)) = (words.next(), words.next()) else { continue };
        let mut ends = range.split(|&byte| byte == b'-').map(hexadecimal);
        let (Some(start), Some(end)) = (ends.next(), ends.next()) else { continue };
        let path = &line[slash..];
        let executes = rights.get(2) == Some(&b'x');
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
