//! Files of arguments: `@file` stands for what is in the file.
//!
//! They are read to know what is asked for; the compiler gets them as they are. What cannot be
//! read is an argument like any other, as compilers have it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Files that name files are followed so far; a file may name itself.
const MAX_DEPTH: usize = 16;

/// The arguments, with those from files in their places.
pub(super) fn expand(given: &[OsString]) -> Vec<OsString> {
    let mut all = Vec::new();
    for argument in given {
        add(argument, MAX_DEPTH, &mut all);
    }
    all
}

fn add(argument: &OsString, depth: usize, all: &mut Vec<OsString>) {
    let file = argument.as_bytes().strip_prefix(b"@").filter(|_| depth > 0);
    match file.and_then(|name| fs::read(OsStr::from_bytes(name)).ok()) {
        Some(text) => split(&text).iter().for_each(|word| add(word, depth - 1, all)),
        None => all.push(argument.clone()),
    }
}

/// Words are separated by blanks; quotes and backslashes keep them together.
fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, Some(open)) if byte == open => quote = None,
            (_, None) if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_compilers_split_them() {
        let check = |text: &str, expected: &[&str]| assert_eq!(split(text.as_bytes()), expected);
        check("-c a.c\n\t-o a.o\n", &["-c", "a.c", "-o", "a.o"]);
        check(r#"'-DA="b c"' "x y"z \  """#, &["-DA=\"b c\"", "x yz", " ", ""]);
    }

    #[test]
    fn files_may_name_files_and_even_themselves() {
        let folder = tempfile::tempdir().unwrap();
        let name = |file: &str| format!("@{}", folder.path().join(file).display());
        fs::write(folder.path().join("outer"), format!("-c {} {}", name("inner"), name("gone")))
            .unwrap();
        fs::write(folder.path().join("inner"), "-O2").unwrap();
        fs::write(folder.path().join("loop"), name("loop")).unwrap();
        let expanded = expand(&[name("outer").into(), "a.c".into()]);
        assert_eq!(expanded, ["-c", "-O2", &name("gone"), "a.c"]);
        assert_eq!(expand(&[name("loop").into()]), [name("loop").as_str()]);
    }
}
