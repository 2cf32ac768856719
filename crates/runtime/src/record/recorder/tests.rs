//! What is in the file and in the stage, at any moment, is what was written, in this order.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::vec::Vec;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// What a host makes: a page with a stage behind it, and a file.
struct Host {
    control: &'static Control,
    file: File,
}

const STAGE_OFFSET: usize = size_of::<Control>().next_multiple_of(4096);

impl Host {
    fn new(n_stage: usize, max: u64) -> Host {
        const MEMFD_CREATE: usize = 319;
        // SAFETY: a name that ends.
        let fd = unsafe { sys::call3(MEMFD_CREATE, c"recording".as_ptr() as usize, 0, 0) };
        // SAFETY: it was just made.
        let file = unsafe { File::from_raw_fd(fd as i32) };
        let len = STAGE_OFFSET + n_stage * RECORD_LEN;
        let memory = Vec::leak(std::vec![0u64; len / 8]).as_mut_ptr().cast::<Control>();
        // SAFETY: there is room for one, whose bytes are all zero, and nothing else knows of it yet.
        unsafe {
            (*memory).max_recording = max;
            (*memory).stage_offset = STAGE_OFFSET as u64;
            (*memory).stage_len = (n_stage * RECORD_LEN) as u64;
        }
        // SAFETY: it is never given back.
        unsafe { host::begin(memory) };
        Host { control: host::control(), file }
    }

    /// What a host would have of the recording if the process ended now.
    fn recording(&self) -> Vec<u8> {
        let len = self.file.metadata().unwrap().len() as usize;
        let mut bytes = std::vec![0; len];
        self.file.read_exact_at(&mut bytes, 0).unwrap();
        let at = self.control.stage_at.load(Ordering::Relaxed);
        if at != NO_STAGE {
            let n = self.control.stage_len as usize;
            // SAFETY: the stage has so many bytes, and only this thread writes there.
            let stage = unsafe { core::slice::from_raw_parts(host::at::<u8>(STAGE_OFFSET), n) };
            bytes.resize(bytes.len().max(at as usize + n), 0);
            bytes[at as usize..][..n].copy_from_slice(stage);
        }
        bytes
    }
}

fn bytes_of(record: Record) -> [u8; RECORD_LEN] {
    let mut bytes = [0; RECORD_LEN];
    bytes[..8].copy_from_slice(&record.head.to_le_bytes());
    bytes[8..].copy_from_slice(&record.tail.to_le_bytes());
    bytes
}

proptest! {
    #[test]
    fn the_recording_is_what_was_written(
        records in vec((1..u64::MAX, any::<u64>(), 0..20usize), 0..200),
        n_stage in 8..40usize,
        max in prop_oneof![Just(0), 64..4000u64],
    ) {
        let host = Host::new(n_stage, max);
        let recorder = Recorder::new();
        recorder.begin(host.file.as_raw_fd(), host.control, false);
        let mut expected = host.recording()[..HEADER_LEN].to_vec();
        for (head, tail, text) in records {
            if text == 0 {
                recorder.flush();
            }
            if text > 17 {
                let text = std::vec![b'a'; text * 3];
                let before = expected.len();
                let record = Record::counted(Code::Text, TextKind::Module as u64, text.len() as u64, 0);
                expected.extend(bytes_of(record));
                expected.extend(&text);
                expected.resize(before + (n_text_records(text.len()) + 1) * RECORD_LEN, 0);
                recorder.text(TextKind::Module, &[&text[..5], &text[5..]]);
            } else {
                recorder.write(Record { head, tail });
                expected.extend(bytes_of(Record { head, tail }));
            }
            let len = recorder.len() as usize;
            prop_assert_eq!(&host.recording()[..len], &expected[..len]);
            if recorder.is_on() {
                prop_assert_eq!(len, expected.len());
            } else {
                prop_assert_eq!(recorder.state(), RecordingState::Limit as u32);
                prop_assert!(max > 0 && len as u64 <= max && len + RECORD_LEN > max as usize);
            }
        }
        recorder.flush();
        recorder.stop();
        let len = recorder.len() as usize;
        let mut file = std::vec![0; len];
        host.file.read_exact_at(&mut file, 0).unwrap();
        prop_assert_eq!(&file[..], &expected[..len]);
    }
}
