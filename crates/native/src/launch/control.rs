//! The control memory: what we ask, and what we find in it when the target is gone.
//!
//! The memory has a fixed size that nobody can change, so a target cannot make us fault on it. All
//! else that is in it afterwards may be anything.

use std::fs::File;
use std::io;
use std::mem::{MaybeUninit, offset_of, size_of};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::sync::atomic::Ordering;

use memmap2::MmapMut;
use raddle_wire::board::Layout;
use raddle_wire::{Control, Defect, Flags, MAGIC, NO_STAGE, Step, VERSION};

use super::{LaunchError, Request, system};

/// Bytes of the memory, unless a plan needs more. What is not touched costs nothing.
const LEN: u64 = 64 << 20;
/// At least so much is left for steps that are taken, or this much if files may not become longer.
const MIN_TAKEN: u64 = 16 << 20;
const LEAST_TAKEN: u64 = 64 << 10;

/// Bytes of the stage of a recording: enough that writing it is cheap, and not more than what stays
/// in a core's cache.
const STAGE_LEN: usize = 128 << 10;

/// Memory that we share with a target.
pub(super) struct Shared {
    file: File,
    map: MmapMut,
    stage_offset: usize,
    taken_offset: usize,
    taken_max: usize,
    board: Option<Layout>,
}

impl Shared {
    /// Memory that holds a request, and a board if plans are to be posted.
    pub(super) fn new(request: &Request<'_>) -> Result<Shared, LaunchError> {
        let plan_offset = size_of::<Control>().next_multiple_of(16);
        let stage_offset = (plan_offset + size_of_val(request.plan)).next_multiple_of(4096);
        let taken_offset = stage_offset + STAGE_LEN;
        let least = taken_offset as u64 + LEAST_TAKEN;
        let usual = LEN.max(taken_offset as u64 + MIN_TAKEN);
        let (steps_end, board) = match request.explore {
            true => {
                let end = usual.next_multiple_of(4096);
                (end, Some(Layout::new(end as usize)))
            }
            false => (usual.min(max_file_len()).max(least), None),
        };
        let len = board.map_or(steps_end, |board| board.end() as u64);
        let file = sealed(len).map_err(|source| match source.kind() {
            io::ErrorKind::FileTooLarge => LaunchError::Memory { least: len },
            _ => system("make memory to share")(source),
        })?;
        // SAFETY: the file was just made and sealed, so it cannot shrink below the map.
        let map = unsafe { MmapMut::map_mut(&file) }.map_err(system("map memory to share"))?;
        let taken_max = (steps_end as usize - taken_offset) / size_of::<Step>();
        let mut shared = Shared { file, map, stage_offset, taken_offset, taken_max, board };
        shared.write_plan(plan_offset, request.plan);
        shared.write_request(request, plan_offset);
        Ok(shared)
    }

    /// The descriptor to give to the child.
    pub(super) fn descriptor(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    /// The address of the flags.
    pub(super) fn flags(&self) -> usize {
        self.map.as_ptr() as usize + offset_of!(Control, flags)
    }

    fn put<const N: usize>(&mut self, offset: usize, bytes: [u8; N]) {
        self.map[offset..offset + N].copy_from_slice(&bytes);
    }

    fn write_plan(&mut self, offset: usize, plan: &[Step]) {
        for (index, step) in plan.iter().enumerate() {
            let at = offset + index * size_of::<Step>();
            self.put(at + offset_of!(Step, kind), step.kind.to_ne_bytes());
            self.put(at + offset_of!(Step, value), step.value.to_ne_bytes());
            self.put(at + offset_of!(Step, times), step.times.to_ne_bytes());
        }
    }

    fn write_request(&mut self, request: &Request<'_>, plan_offset: usize) {
        let flags = [
            (Flags::RECORD, request.recording.is_some()),
            (Flags::STACKS, request.stacks),
            // The child takes this one back if it cannot be.
            (Flags::FIXED_ADDRESSES, true),
            (Flags::UNINSTRUMENTED, request.preload),
            (Flags::DEBUGGER, request.debugger),
            (Flags::POINTS_ALL, request.points_all),
            (Flags::EXPLORE, request.explore),
            (Flags::RANDOM, request.seed.is_some()),
        ];
        let asked = flags.iter().filter(|(_, on)| *on).fold(request.flags, |all, (f, _)| all | f)
            | Defect::flags();
        let (taken_offset, taken_max) = (self.taken_offset as u64, self.taken_max as u64);
        self.put(offset_of!(Control, magic), MAGIC);
        self.put(offset_of!(Control, version), VERSION.to_ne_bytes());
        self.put(offset_of!(Control, len), (size_of::<Control>() as u32).to_ne_bytes());
        self.put(offset_of!(Control, threading), (request.threading as u32).to_ne_bytes());
        self.put(offset_of!(Control, flags), asked.to_ne_bytes());
        self.put(offset_of!(Control, slice), request.slice.to_ne_bytes());
        self.put(offset_of!(Control, seed), request.seed.unwrap_or(0).to_ne_bytes());
        self.put(offset_of!(Control, max_events), request.max_events.to_ne_bytes());
        self.put(offset_of!(Control, max_recording), request.max_recording.to_ne_bytes());
        self.put(offset_of!(Control, plan_offset), (plan_offset as u64).to_ne_bytes());
        self.put(offset_of!(Control, n_plan), (request.plan.len() as u64).to_ne_bytes());
        self.put(offset_of!(Control, taken_offset), taken_offset.to_ne_bytes());
        self.put(offset_of!(Control, taken_max), taken_max.to_ne_bytes());
        self.put(offset_of!(Control, stage_offset), (self.stage_offset as u64).to_ne_bytes());
        self.put(offset_of!(Control, stage_len), (STAGE_LEN as u64).to_ne_bytes());
        let board = self.board.map_or(0, |board| board.board() as u64);
        self.put(offset_of!(Control, board_offset), board.to_ne_bytes());
        self.put(offset_of!(Control, stage_at), NO_STAGE.to_ne_bytes());
    }

    /// Where the board is, if there is one, and where the memory begins.
    pub(super) fn board(&self) -> Option<(Layout, *mut u8)> {
        self.board.map(|board| (board, self.map.as_ptr().cast_mut()))
    }

    /// A copy of what is there now.
    pub(super) fn answer(&self) -> Control {
        let mut control = MaybeUninit::<Control>::uninit();
        // SAFETY: the map is longer than a `Control`, which consists of integers only, so that any
        // bytes are one. A process that the target left behind may still write; then the copy is a
        // mixture, which is no worse than what a target could have written anyway.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.map.as_ptr(),
                control.as_mut_ptr().cast::<u8>(),
                size_of::<Control>(),
            );
            control.assume_init()
        }
    }

    /// The end of the recording that the target did not come to write, and where it belongs in a
    /// file of so many bytes.
    pub(super) fn stage(&self, answer: &Control, file_len: u64) -> Option<(u64, &[u8])> {
        let at = answer.stage_at.load(Ordering::Relaxed);
        // A target that was killed while it wrote has left a part of it in the file.
        let is_open = at <= file_len && file_len - at < STAGE_LEN as u64;
        is_open.then(|| (at, &self.map[self.stage_offset..][..STAGE_LEN]))
    }

    /// The steps that were taken, if `n` were, and whether these are all of them.
    pub(super) fn taken(&self, n: u64) -> (Vec<Step>, bool) {
        let kept = usize::try_from(n).unwrap_or(usize::MAX).min(self.taken_max);
        let bytes = &self.map[self.taken_offset..][..kept * size_of::<Step>()];
        let word = |step: &[u8], at: usize| {
            u32::from_ne_bytes(step[at..at + 4].try_into().expect("4 bytes"))
        };
        let steps = bytes.chunks_exact(size_of::<Step>()).map(|step| Step {
            kind: word(step, offset_of!(Step, kind)),
            value: word(step, offset_of!(Step, value)),
            times: {
                let at = offset_of!(Step, times);
                u64::from_ne_bytes(step[at..at + 8].try_into().expect("8 bytes"))
            },
        });
        (steps.collect(), kept as u64 == n)
    }
}

/// How long files may become, which goes for memory that is a file, too.
fn max_file_len() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: 0 };
    // SAFETY: writes into `limit`; if it fails, there is none.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) };
    limit.rlim_cur
}

/// Memory of so many bytes, for as long as it exists.
fn sealed(len: u64) -> io::Result<File> {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: the name is a C string; the descriptor that comes back belongs to nobody else.
    let file = unsafe {
        match libc::memfd_create(c"raddle".as_ptr(), flags) {
            -1 => return Err(io::Error::last_os_error()),
            descriptor => File::from_raw_fd(descriptor),
        }
    };
    file.set_len(len)?;
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: adds seals to a descriptor that is ours.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(file),
    }
}
