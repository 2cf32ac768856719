//! The sources of a binary, as its debug information names them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Source files, each read once.
#[derive(Default)]
pub(super) struct Files {
    known: RefCell<BTreeMap<String, Option<String>>>,
}

impl Files {
    /// A line of a file, from 1.
    pub(super) fn line(&self, file: &str, line: u32) -> Option<String> {
        let mut known = self.known.borrow_mut();
        let text = known.entry(file.to_owned()).or_insert_with(|| {
            let path = Path::new(file);
            let bytes = path.is_file().then(|| fs::read(path).ok()).flatten();
            // Comments may be in another encoding.
            bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        });
        text.as_deref()?.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned)
    }
}
