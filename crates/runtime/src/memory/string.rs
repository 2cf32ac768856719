//! Text that ends in a zero: `strlen` and its kin.

use super::{Bytes, plain, reads, real_or, watching, writes};
use crate::state::State;

hook! {
    1, strlen => length;
    2, strnlen => length_within;
    2, strcpy => copy;
    2, stpcpy => copy_to_end;
    3, strncpy => copy_padded;
    3, stpncpy => copy_padded_to_end;
    2, strcat => append;
    3, strncat => append_within;
    2, strcmp => compare;
    3, strncmp => compare_within;
    2, strcasecmp => compare_letters;
    3, strncasecmp => compare_letters_within;
    2, strchr => find;
    2, strchrnul => find_or_end;
    2, strrchr => find_last;
    2, strstr => find_text;
    1, strdup => duplicate;
    1, __strdup => duplicate;
    2, strndup => duplicate_within;
    3, __strcpy_chk => checked_copy;
    3, __stpcpy_chk => checked_copy_to_end;
    4, __strncpy_chk => checked_copy_padded;
    3, __strcat_chk => checked_append;
    4, __strncat_chk => checked_append_within;
}

const ALL: usize = usize::MAX;

fn exactly(a: u8, b: u8) -> bool {
    a == b
}

fn as_letters(a: u8, b: u8) -> bool {
    a.eq_ignore_ascii_case(&b)
}

/// How many bytes come before the end of a text, or `max` if it does not end before.
fn len_within(text: Bytes, max: usize) -> usize {
    real!(fn strnlen(text: Bytes, max: usize) -> usize)
}

/// The caller reads a text with its end, but no more than `max` bytes; how long it is.
fn reads_text(state: &State, text: Bytes, max: usize, pc: u64) -> usize {
    let len = len_within(text, max);
    reads(state, text, len.saturating_add(1).min(max), pc);
    len
}

fn copies(to: Bytes, from: Bytes, pc: u64) {
    if let Some(state) = watching(pc) {
        let len = reads_text(state, from, ALL, pc);
        writes(state, to, len + 1, pc);
    }
}

fn copies_padded(to: Bytes, from: Bytes, max: usize, pc: u64) {
    if let Some(state) = watching(pc) {
        reads_text(state, from, max, pc);
        writes(state, to, max, pc);
    }
}

fn appends(to: Bytes, from: Bytes, max: usize, pc: u64) {
    if let Some(state) = watching(pc) {
        let before = reads_text(state, to, ALL, pc);
        let len = reads_text(state, from, max, pc);
        writes(state, to.wrapping_add(before), len + 1, pc);
    }
}

fn compares(a: Bytes, b: Bytes, max: usize, same: fn(u8, u8) -> bool, pc: u64) {
    if let Some(state) = watching(pc) {
        let len = plain::in_common(a, b, max, same);
        reads(state, a, len, pc);
        reads(state, b, len, pc);
    }
}

/// The caller reads a text up to what it found, or all of it.
fn reads_up_to(state: &State, text: Bytes, found: Bytes, len: usize, pc: u64) {
    if found.is_null() {
        reads_text(state, text, ALL, pc);
    } else {
        reads(state, text, found.behind(text) + len, pc);
    }
}

extern "C" fn length(text: Bytes, pc: u64) -> usize {
    if let Some(state) = watching(pc) {
        reads_text(state, text, ALL, pc);
    }
    real_or!(plain::length, pc, fn strlen(text: Bytes) -> usize)
}

extern "C" fn duplicate(text: Bytes, pc: u64) -> Bytes {
    if let Some(state) = watching(pc) {
        reads_text(state, text, ALL, pc);
    }
    real!(fn strdup(text: Bytes) -> Bytes)
}

extern "C" fn find(text: Bytes, value: i32, pc: u64) -> Bytes {
    if let Some(state) = watching(pc) {
        let found = real!(fn strchr(text: Bytes, value: i32) -> Bytes);
        reads_up_to(state, text, found, 1, pc);
    }
    real!(fn strchr(text: Bytes, value: i32) -> Bytes)
}

extern "C" fn find_or_end(text: Bytes, value: i32, pc: u64) -> Bytes {
    if let Some(state) = watching(pc) {
        let found = real!(fn strchrnul(text: Bytes, value: i32) -> Bytes);
        reads_up_to(state, text, found, 1, pc);
    }
    real!(fn strchrnul(text: Bytes, value: i32) -> Bytes)
}

extern "C" fn find_text(text: Bytes, part: Bytes, pc: u64) -> Bytes {
    if let Some(state) = watching(pc) {
        let len = reads_text(state, part, ALL, pc);
        let found = real!(fn strstr(text: Bytes, part: Bytes) -> Bytes);
        reads_up_to(state, text, found, len, pc);
    }
    real!(fn strstr(text: Bytes, part: Bytes) -> Bytes)
}

/// Functions that are reported by one of the functions above and then done by the C library.
macro_rules! told {
    ($($imp:ident($($arg:ident: $type:ty),*) -> $ret:ty = $name:ident,
        $tell:ident($($told:expr),*);)*) => { $(
        extern "C" fn $imp($($arg: $type,)* pc: u64) -> $ret {
            $tell($($told,)* pc);
            real!(fn $name($($arg: $type),*) -> $ret)
        }
    )* };
}

fn reads_within(text: Bytes, max: usize, pc: u64) {
    if let Some(state) = watching(pc) {
        reads_text(state, text, max, pc);
    }
}

told! {
    length_within(text: Bytes, max: usize) -> usize = strnlen, reads_within(text, max);
    find_last(text: Bytes, value: i32) -> Bytes = strrchr, reads_within(text, ALL);
    duplicate_within(text: Bytes, max: usize) -> Bytes = strndup, reads_within(text, max);
    copy(to: Bytes, from: Bytes) -> Bytes = strcpy, copies(to, from);
    copy_to_end(to: Bytes, from: Bytes) -> Bytes = stpcpy, copies(to, from);
    copy_padded(to: Bytes, from: Bytes, max: usize) -> Bytes = strncpy,
        copies_padded(to, from, max);
    copy_padded_to_end(to: Bytes, from: Bytes, max: usize) -> Bytes = stpncpy,
        copies_padded(to, from, max);
    append(to: Bytes, from: Bytes) -> Bytes = strcat, appends(to, from, ALL);
    append_within(to: Bytes, from: Bytes, max: usize) -> Bytes = strncat, appends(to, from, max);
    compare(a: Bytes, b: Bytes) -> i32 = strcmp, compares(a, b, ALL, exactly);
    compare_within(a: Bytes, b: Bytes, max: usize) -> i32 = strncmp, compares(a, b, max, exactly);
    compare_letters(a: Bytes, b: Bytes) -> i32 = strcasecmp, compares(a, b, ALL, as_letters);
    compare_letters_within(a: Bytes, b: Bytes, max: usize) -> i32 = strncasecmp,
        compares(a, b, max, as_letters);
    checked_copy(to: Bytes, from: Bytes, room: usize) -> Bytes = __strcpy_chk, copies(to, from);
    checked_copy_to_end(to: Bytes, from: Bytes, room: usize) -> Bytes = __stpcpy_chk,
        copies(to, from);
    checked_copy_padded(to: Bytes, from: Bytes, max: usize, room: usize) -> Bytes = __strncpy_chk,
        copies_padded(to, from, max);
    checked_append(to: Bytes, from: Bytes, room: usize) -> Bytes = __strcat_chk,
        appends(to, from, ALL);
    checked_append_within(to: Bytes, from: Bytes, max: usize, room: usize) -> Bytes =
        __strncat_chk, appends(to, from, max);
}
