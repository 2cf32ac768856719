//! Recordings of threads that ran at once, written by hand and at random.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use raddle_trace::check::{Mode, check};
use raddle_trace::{EventId, Op};
use raddle_wire::{Code, PIECE_UNIT, RECORD_LEN, Record, TextKind, Threading};

use super::{Build, PC, shown};
use crate::recording::Native;

const X: u64 = 0x1000;
const M: u64 = 0x7000;
const C: u64 = 0x7100;

fn record(code: Code, object: u64, extra: u16) -> Record {
    Record::new(code, object, 4, PC, extra)
}

/// A record with a number.
fn numbered(number: u64, code: Code, object: u64, extra: u16) -> [Record; 2] {
    [Record::new(Code::Number, number, 0, 0, 0), record(code, object, extra)]
}

/// A file of pieces in the order in which each thread wrote them.
fn file(pieces: &[(u64, Vec<Record>)]) -> Build {
    let before = |at: usize| pieces[..at].iter().filter(move |piece| piece.0 == pieces[at].0);
    let numbered = pieces.iter().enumerate();
    let numbered = numbered.map(|(at, piece)| (piece.0, before(at).count() as u64, &piece.1[..]));
    file_of(&numbered.collect::<Vec<_>>())
}

/// A file of pieces; each has its thread, its number and its records.
fn file_of(pieces: &[(u64, u64, &[Record])]) -> Build {
    let mut build = Build::new();
    build.bytes[16] = Threading::Parallel as u8;
    for (index, (thread, number, records)) in pieces.iter().enumerate() {
        let start = build.bytes.len();
        let end = (index + 1) * PIECE_UNIT;
        let n = ((end - start) / RECORD_LEN) as u64;
        build = build.record(Record::counted(Code::Piece, *thread, *number, n));
        build = records.iter().fold(build, |build, &record| build.record(record));
        build.bytes.resize(end, 0);
    }
    build
}

/// Pieces become this trace, with these guesses.
#[track_caller]
fn check_pieces(pieces: &[(u64, Vec<Record>)], expected: &str, guesses: &[u32]) -> Native {
    let native = file(pieces).all();
    assert_eq!(shown(&native), expected);
    let guesses: Vec<_> = guesses.iter().map(|&event| EventId(event)).collect();
    assert_eq!(native.guesses, guesses);
    assert_eq!(native.note, None);
    check(native.events.clone(), Mode::Strict).unwrap();
    native
}

/// A thread's turn with a lock, in which it reads and writes.
fn turn(from: u64, to: u64) -> Vec<Record> {
    let inside = [record(Code::Read, X, 0), record(Code::Write, X, 0)];
    let (lock, unlock) = (numbered(from, Code::Lock, M, 0), numbered(to, Code::Unlock, M, 0));
    [&lock[..], &inside, &unlock].concat()
}

#[test]
fn numbers_put_pieces_in_order() {
    let expected = "thread#1|acq(0x7000) thread#1|r(0x1000) thread#1|w(0x1000) thread#1|rel(0x7000) \
                    main|acq(0x7000) main|r(0x1000) main|w(0x1000) main|rel(0x7000)";
    check_pieces(&[(0, turn(3, 4)), (1, turn(1, 2))], expected, &[]);
    let first = |n: usize| turn(1, 2)[..n].to_vec();
    let rest = |n: usize| turn(1, 2)[n..].to_vec();
    for n in [0, 2, 3, 4] {
        check_pieces(&[(0, turn(3, 4)), (1, first(n)), (1, rest(n))], expected, &[]);
    }
}

#[test]
fn of_two_pieces_with_one_number_the_longer_one_counts() {
    let whole = turn(1, 2);
    let (first, rest) = whole.split_at(3);
    let expected = shown(&file(&[(0, whole.clone())]).all());
    // The stage is the first one in the file, whatever it has by now.
    let check = |pieces: &[(u64, u64, &[Record])]| {
        assert_eq!(shown(&file_of(pieces).all()), expected, "{pieces:?}");
    };
    check(&[(0, 1, rest), (0, 0, first)]);
    for n in 0..=first.len() {
        // Killed while the stage is copied, or while it is cleared.
        let copied = file_of(&[(0, 0, first), (0, 0, &first[..n])]).all();
        let cleared = file_of(&[(0, 0, &first[..n]), (0, 0, first)]).all();
        assert_eq!(shown(&copied), shown(&cleared));
        assert_eq!(shown(&copied), shown(&file_of(&[(0, 0, first)]).all()));
    }
    check(&[(0, 1, rest), (0, 0, first), (0, 1, &rest[..1])]);
}

#[test]
fn what_overlaps_without_a_lock_is_a_guess() {
    let reads = [&numbered(1, Code::Lock, M, 0)[..], &[record(Code::Read, X, 0)]].concat();
    let reads = [&reads[..], &numbered(4, Code::Unlock, M, 0)].concat();
    let writes = |from, to| {
        let inside = [record(Code::Write, X, 0)];
        [&numbered(from, Code::Post, C, 0)[..], &inside, &numbered(to, Code::Post, C, 0)].concat()
    };
    let text = |native: &Native| shown(native).replace("thread#1|", "").replace("main|", "");
    let overlap = file(&[(0, reads.clone()), (1, writes(2, 3))]).all();
    assert_eq!(
        text(&overlap),
        "acq(0x7000) post(0x7100) w(0x1000) post(0x7100) r(0x1000) rel(0x7000)"
    );
    assert_eq!(overlap.guesses, [EventId(4)]);
    let after = file(&[(0, reads), (1, writes(5, 6))]).all();
    assert!(after.guesses.is_empty());
}

#[test]
fn a_thread_without_room_ends_all() {
    let stopped = [&turn(1, 2)[..], &[Record::new(Code::Stop, 4, 0, 0, 0)]].concat();
    let other = [turn(3, 5), turn(6, 7)].concat();
    let expected = "main|acq(0x7000) main|r(0x1000) main|w(0x1000) main|rel(0x7000) \
                    thread#1|acq(0x7000)";
    check_pieces(&[(0, stopped), (1, other)], expected, &[]);
}

#[test]
fn a_number_without_its_record_was_cut_off() {
    let cut = [&turn(1, 2)[..], &numbered(3, Code::Lock, M, 0)[..1]].concat();
    let expected = "main|acq(0x7000) main|r(0x1000) main|w(0x1000) main|rel(0x7000)";
    check_pieces(&[(0, cut)], expected, &[]);
}

#[test]
fn a_piece_that_was_never_begun_is_passed_over() {
    let mut build = file(&[(0, turn(3, 4)), (9, Vec::new()), (1, turn(1, 2))]);
    build.bytes[PIECE_UNIT..2 * PIECE_UNIT].fill(0);
    assert_eq!(build.all().events.len(), 8);
}

#[test]
fn a_notify_wakes_who_goes_on_first() {
    let waits = |from: u64, back: u64| {
        let wait = [numbered(from, Code::Lock, M, 0), numbered(from + 1, Code::Wait, C, 0)];
        let go_on = [numbered(from + 2, Code::Unlock, M, 0), numbered(back, Code::Lock, M, 0)];
        let wake = [numbered(back + 1, Code::Wake, C, 0), numbered(back + 2, Code::Unlock, M, 0)];
        [wait, go_on, wake].concat().concat()
    };
    let notify = |n| numbered(n, Code::Notify, C, 0).to_vec();
    let pieces = [(0, [notify(7), notify(8)].concat()), (1, waits(1, 12)), (2, waits(4, 9))];
    let native = file(&pieces).all();
    check(native.events.clone(), Mode::Strict).unwrap();
    let wakes: Vec<_> = (0..native.events.len() as u32)
        .map(EventId)
        .filter_map(|event| Some((native.events.thread(event).0, native.events.waker(event)?)))
        .map(|(thread, notify)| (native.threads[thread as usize], notify.0))
        .collect();
    assert_eq!(wakes, [(2, 6), (1, 7)]);
    assert_eq!(native.guesses.len(), 2, "either could have woken either");
    let alone = [(0, notify(7)), (1, waits(1, 12))];
    assert!(file(&alone).all().guesses.is_empty());
}

#[test]
fn a_lock_that_nobody_has_yet_cannot_have_been_missed() {
    let tries =
        |n: u64| [&numbered(n, Code::TryFail, M, 0)[..], &[record(Code::Read, X, 0)]].concat();
    let holds = [numbered(2, Code::Lock, M, 0), numbered(4, Code::Unlock, M, 0)].concat();
    let in_time = "main|acq(0x7000) thread#1|tryfail(0x7000) main|rel(0x7000) thread#1|r(0x1000)";
    check_pieces(&[(0, holds.clone()), (1, tries(3))], in_time, &[]);
    let too_soon = "main|acq(0x7000) main|rel(0x7000) thread#1|r(0x1000)";
    check_pieces(&[(0, holds), (1, tries(1))], too_soon, &[2]);
}

#[test]
fn texts_keep_their_thread() {
    let name = Build::new().text(TextKind::ThreadName, b"a name of more than 16 bytes").bytes;
    let mut build = file(&[(0, turn(3, 4)), (1, turn(1, 2))]);
    let at = PIECE_UNIT + 7 * RECORD_LEN;
    let name = &name[raddle_wire::HEADER_LEN..];
    build.bytes[at..at + name.len()].copy_from_slice(name);
    let native = build.all();
    let names: Vec<_> = native.events.tables.threads.iter().collect();
    assert_eq!(names, ["main", "a name of more than 16 bytes#1"]);
}

/// What a thread does to the one variable; all but plain accesses have a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    Read,
    Write,
    Load,
    Store,
    Fence,
}

impl Act {
    fn is_plain(self) -> bool {
        matches!(self, Act::Read | Act::Write)
    }

    fn reads(self) -> bool {
        matches!(self, Act::Read | Act::Load)
    }

    fn code(self) -> Code {
        match self {
            Act::Read => Code::Read,
            Act::Write => Code::Write,
            Act::Load => Code::AtomicLoad,
            Act::Store => Code::AtomicStore,
            Act::Fence => Code::Fence,
        }
    }
}

/// A step of the oracle: an access, or the taking of a number.
#[derive(Clone, Copy)]
enum Step {
    Access { index: usize, act: Act, number: Option<u64> },
    Take { number: u64, is_atomic: bool },
}

/// Every access, by thread and index, and the writes that it may have seen.
type Seen = BTreeMap<(usize, usize), BTreeSet<Option<(usize, usize)>>>;

/// Goes through every order of all steps in which numbers, and atomic accesses, are in order.
struct Oracle {
    threads: Vec<Vec<Step>>,
    seen: Seen,
}

impl Oracle {
    fn explore(&mut self, at: &mut Vec<usize>, number: u64, last: Option<(usize, usize)>) {
        for thread in 0..self.threads.len() {
            let Some(&step) = self.threads[thread].get(at[thread]) else { continue };
            let (mut next_number, mut next_last) = (number, last);
            match step {
                Step::Take { number: taken, .. } if taken != number => continue,
                Step::Take { .. } => next_number += 1,
                Step::Access { number: Some(own), .. } if !self.is_next(at, own) => continue,
                Step::Access { index, act, .. } if act.reads() => {
                    self.seen.entry((thread, index)).or_default().insert(last);
                }
                Step::Access { index, .. } => next_last = Some((thread, index)),
            }
            at[thread] += 1;
            self.explore(at, next_number, next_last);
            at[thread] -= 1;
        }
    }

    /// Whether all atomic accesses with smaller numbers have been done and have got them.
    fn is_next(&self, at: &[usize], own: u64) -> bool {
        let left = self.threads.iter().zip(at).flat_map(|(steps, &at)| &steps[at..]);
        left.into_iter().all(|step| match *step {
            Step::Take { number, is_atomic } => !is_atomic || number >= own,
            Step::Access { .. } => true,
        })
    }
}

fn any_act() -> impl Strategy<Value = Act> {
    prop::sample::select(vec![Act::Read, Act::Write, Act::Load, Act::Store, Act::Fence])
}

proptest! {
    #[test]
    fn a_read_is_a_guess_if_it_may_have_seen_several_writes(
        acts in prop::collection::vec(prop::collection::vec(any_act(), 0..4), 2..4),
        picks in prop::collection::vec(0usize..6, 12),
    ) {
        let (mut lanes, mut steps) = (Vec::new(), vec![Vec::new(); acts.len()]);
        let mut numbers = vec![Vec::new(); acts.len()];
        let mut left: Vec<_> =
            acts.iter().map(|acts| acts.iter().filter(|act| !act.is_plain()).count()).collect();
        for (number, pick) in picks.iter().enumerate() {
            let open: Vec<_> = (0..acts.len()).filter(|&thread| left[thread] > 0).collect();
            let Some(&thread) = open.get(pick % open.len().max(1)) else { break };
            left[thread] -= 1;
            numbers[thread].push(number as u64 + 1);
        }
        for (thread, acts) in acts.iter().enumerate() {
            let mut records = Vec::new();
            let mut own = numbers[thread].iter();
            for (index, &act) in acts.iter().enumerate() {
                let number = if act.is_plain() { None } else { own.next().copied() };
                if act != Act::Fence {
                    let number = number.filter(|_| !act.is_plain());
                    steps[thread].push(Step::Access { index, act, number });
                }
                match number {
                    None => records.push(record(act.code(), X, 0)),
                    Some(number) => {
                        records.extend(numbered(number, act.code(), X, 0));
                        let is_atomic = act != Act::Fence;
                        steps[thread].push(Step::Take { number, is_atomic });
                    }
                }
            }
            lanes.push((thread as u64, records));
        }
        let mut oracle = Oracle { threads: steps, seen: Seen::new() };
        oracle.explore(&mut vec![0; acts.len()], 1, None);

        let native = file(&lanes).all();
        let mut accesses = vec![Vec::new(); acts.len()];
        for event in (0..native.events.len() as u32).map(EventId) {
            let thread = native.threads[native.events.thread(event).index()] as usize;
            if matches!(native.events.op(event), Op::Read { .. } | Op::Write { .. }) {
                accesses[thread].push(native.guesses.contains(&event));
            }
        }
        for (thread, acts) in acts.iter().enumerate() {
            let mut guesses = accesses[thread].iter();
            let mut has_written = false;
            for (index, &act) in acts.iter().enumerate().filter(|(_, act)| **act != Act::Fence) {
                let is_guess = *guesses.next().unwrap();
                let n_writers = oracle.seen.get(&(thread, index)).map_or(0, BTreeSet::len);
                prop_assert!(is_guess || n_writers <= 1, "thread {} access {}", thread, index);
                // Too many guesses only behind a write of its own.
                prop_assert!(!is_guess || n_writers > 1 || has_written);
                has_written |= !act.reads();
            }
        }
    }
}
