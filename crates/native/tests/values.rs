//! What accesses read and write is recorded on request, and the run stays the same.

use std::fs;

use crate::harness::{GCC, Workshop};
use raddle_native::launch::{Answer, Request};
use raddle_native::recording::{self, Options, Recording};
use raddle_native::symbol::Symbols;
use raddle_native::target::Target;
use raddle_trace::{EventId, Events, Op};
use raddle_wire::{Flags, OutcomeKind, Threading};

/// One thread changes variables of every size, and the first one looks at them.
const SIZES: &str = "
#include <pthread.h>
#include <stdatomic.h>
static int plain = 5;
static signed char small;
static short half;
static long long wide;
static double real;
static __int128 huge;
static atomic_int counter;
static volatile long long sink;
static void *work(void *p)
{
    plain = plain + 1;
    small = -1;
    half = 300;
    wide = -2;
    real = 1.5;
    huge = 7;
    atomic_fetch_add(&counter, 2);
    int expected = 7;
    atomic_compare_exchange_strong(&counter, &expected, 9);
    expected = 2;
    atomic_compare_exchange_strong(&counter, &expected, 9);
    atomic_store(&counter, 4);
    return p;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    sink = plain; sink = small; sink = half; sink = wide; sink = real; sink = huge; sink = counter;
    return 0;
}
";

/// A page, and a thread that does `WORK` with it.
const PAGE: &str = "
#include <pthread.h>
#include <sys/mman.h>
static int *page;
static void *work(void *p) { WORK return p; }
int main(void)
{
    pthread_t thread;
    page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *page = 2;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
";

/// Functions of the C library that the compiler does not look into.
const TEXTS: &str = "
#include <pthread.h>
#include <string.h>
static const char *volatile long_text = \"a text that has more than sixty-four characters, which is how many are kept\";
static const char *volatile text = \"hello\";
static char title[16], copy[100];
static volatile unsigned long half = 8;
static void *work(void *p)
{
    strcpy(title, text);
    memcpy(copy, title, half);
    memset(copy + 8, 1, half + half);
    strcpy(copy, long_text);
    return p;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return memcmp(title, copy, half) + strlen(copy + 20);
}
";

/// What is written is looked at before it is gone.
const UNMAPPED: &str = "*page = 3; munmap(page, 4096);";

/// The second write does not happen.
const PROTECTED: &str = "mprotect(page, 4096, PROT_READ); *page = 3;";

/// A run with values, which is the same run as without, and its accesses with what is known of them.
fn record(source: &str) -> (Answer, Vec<String>) {
    let workshop = Workshop::new();
    let file = workshop.file().with_extension("c");
    fs::write(&file, source).unwrap();
    let target = workshop.build(GCC, &file, &["-O1", "-g"]).unwrap();
    let mut runs = Vec::new();
    for threading in [Threading::Coroutines, Threading::Threads] {
        let (plain, without) = run(&workshop, &target, threading, 0);
        assert!(without.iter().all(|access| !access.contains('=')), "{without:?}");
        let (answer, with) = run(&workshop, &target, threading, Flags::VALUES);
        let same = |answer: &Answer| {
            let Answer { outcome, pc, event_hash, taken, counts, .. } = answer;
            (*outcome, *pc, *event_hash, taken.clone(), counts.events, counts.points)
        };
        assert_eq!(same(&plain), same(&answer));
        runs.push((answer, with));
    }
    let (answer, accesses) = runs.remove(0);
    assert_eq!(accesses, runs[0].1);
    (answer, accesses)
}

fn run(
    workshop: &Workshop,
    target: &Target,
    threading: Threading,
    flags: u32,
) -> (Answer, Vec<String>) {
    let path = workshop.file();
    let recording = Some(path.clone());
    let request = Request { threading, flags, recording, stacks: true, ..Request::default() };
    let answer = workshop.run(target, &request).unwrap();
    let options = Options { locals: false, stacks: false, ..Options::default() };
    let recording = Recording::open(&path).unwrap();
    let native = recording::read(&recording, &options, &mut Symbols::new()).unwrap();
    let events = &native.events;
    let all = (0..events.len() as u32).map(EventId);
    (answer, all.filter_map(|event| access(events, event)).collect())
}

/// `w plain = 6`, `c counter = 0 -> 2`; nothing behind the name if nothing is known.
fn access(events: &Events, event: EventId) -> Option<String> {
    let (what, var) = match events.op(event) {
        Op::Read { var, .. } => ("r", var),
        Op::Write { var, .. } => ("w", var),
        Op::ReadModifyWrite { var, .. } => ("c", var),
        _ => return None,
    };
    // Where a page is depends on how threads are run.
    let name = events.tables.variables.get(var.0).filter(|&name| name != "page")?;
    let name = if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { "page" };
    let found = events.found(event).map_or(String::new(), |found| format!("{found:x} -> "));
    let value = events.value(event).map_or(String::new(), |value| format!(" = {found}{value:x}"));
    let block = events.block(event).map_or(String::new(), |b| format!(" = {}", b.escape_ascii()));
    Some(format!("{what} {name}{value}{block}"))
}

#[test]
fn values_of_every_size_are_known() {
    let (answer, accesses) = record(SIZES);
    assert_eq!(answer.outcome, OutcomeKind::Exited);
    let expected = [
        "r plain = 5",
        "w plain = 6",
        "w small = ff",
        "w half = 12c",
        "w wide = fffffffffffffffe",
        "w real = 3ff8000000000000",
        r"w huge = \x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
        "c counter = 0 -> 2",
        "r counter = 2",
        "c counter = 2 -> 9",
        "w counter = 4",
        "r plain = 6",
        "r small = ff",
        "r half = 12c",
        "r wide = fffffffffffffffe",
        "r real = 3ff8000000000000",
        r"r huge = \x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
        "r counter = 4",
    ];
    assert_eq!(accesses, expected);
}

#[test]
fn the_first_bytes_of_many_are_known() {
    let (answer, accesses) = record(TEXTS);
    assert_eq!(answer.outcome, OutcomeKind::Exited);
    let texts: Vec<_> = accesses.iter().filter(|access| !access.contains(" half")).collect();
    let expected = [
        r"w title[0..6] = hello\x00",
        "r title[0..8] = 6f6c6c6568",
        "w copy[0..8] = 6f6c6c6568",
        r"w copy[8..24] = \x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01",
        "w copy[0..76] = a text that has more than sixty-four characters, which is how ma",
    ];
    assert_eq!(texts[..expected.len()], expected);
    assert!(texts.last().unwrap().ends_with(r"ch is how many are kept\x00"), "{texts:?}");
}

#[test]
fn what_is_unmapped_was_looked_at_before() {
    let (answer, accesses) = record(&PAGE.replace("WORK", UNMAPPED));
    assert_eq!(answer.outcome, OutcomeKind::Exited);
    let written: Vec<_> = accesses.iter().filter(|access| access.ends_with("= 3")).collect();
    assert_eq!(written.len(), 1, "{accesses:?}");
}

#[test]
fn a_write_that_crashes_has_no_value() {
    let (answer, accesses) = record(&PAGE.replace("WORK", PROTECTED));
    assert_eq!(answer.outcome, OutcomeKind::Crash);
    let last = accesses.last().unwrap();
    assert!(last.starts_with("w ") && !last.contains('='), "{accesses:?}");
    assert!(accesses.iter().any(|access| access.ends_with("= 2")), "{accesses:?}");
}
