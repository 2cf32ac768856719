//! How a run ended, for searches and for people.
//!
//! In: what the runtime reports, as addresses. Out: an outcome with places. Many runs end in the same
//! way, so what addresses mean is looked up once.

use std::cell::RefCell;
use std::fs;
use std::path::Path;

use raddle_explore::{Endless, Failure, FailureKind, Misuse, Outcome};
use raddle_finding::{Choice, Location};
use raddle_wire::board::{MISFIT_STACK, MISFIT_THREADS};
use raddle_wire::{Blocked, Code, OutcomeKind};
use rustc_hash::FxHashMap;
use syscalls::Sysno;

use super::Setup;
use super::decode::Decoded;
use crate::symbol::Symbols;

/// Addresses below this were meant for something that a null pointer points to.
const NEAR_NULL: u64 = 1 << 16;

/// How many operations a thread did alone in a loop that is taken for endless.
const ENDLESS: u64 = 1_000_000;

/// What runs of one program end with.
pub(super) struct Endings {
    pub(super) symbols: RefCell<Symbols>,
    /// The module of a process, once; they are the same in all.
    is_known: bool,
    /// Endings that were reported, with what they mean.
    known: FxHashMap<(OutcomeKind, Vec<u64>, String), Outcome>,
}

impl Default for Endings {
    fn default() -> Endings {
        let symbols = RefCell::new(Symbols::new());
        Endings { symbols, is_known: false, known: FxHashMap::default() }
    }
}

impl Endings {
    /// Finds out what a process has loaded, if that is not known.
    pub(super) fn learn_modules(&mut self, process: u32) {
        let maps = fs::read_to_string(format!("/proc/{process}/maps"));
        // A process that has ended has nothing loaded.
        let Some(maps) = maps.ok().filter(|maps| !maps.is_empty()) else { return };
        if std::mem::replace(&mut self.is_known, true) {
            return;
        }
        let mut modules: Vec<(u64, u64, &str)> = Vec::new();
        for line in maps.lines() {
            let Some((range, rest)) = line.split_once(' ') else { continue };
            let path = rest.splitn(5, ' ').nth(4).map_or("", str::trim_start);
            let ends = range.split_once('-').map(|(start, end)| (hex(start), hex(end)));
            let (Some((Some(start), Some(end))), true) = (ends, path.starts_with('/')) else {
                continue;
            };
            match modules.last_mut() {
                Some(last) if last.2 == path => last.1 = end,
                _ => modules.push((start, end, path)),
            }
        }
        let symbols = self.symbols.get_mut();
        modules.iter().for_each(|&(start, end, path)| symbols.add(start, end, Path::new(path)));
    }

    /// What a run did that could not take a choice, for people.
    pub(super) fn instead(&self, decoded: &Decoded, choice: Choice) -> String {
        let place = text(&mut self.symbols.borrow_mut(), decoded.pc);
        let thread = decoded.address;
        match choice {
            Choice::Waiter(_) => {
                format!(
                    "another run notifies at {place} there, where thread {thread} does not wait"
                )
            }
            _ => format!("another run is at {place} there, and thread {thread} cannot continue"),
        }
    }

    /// Loops that were taken for endless.
    pub(super) fn endless(&self, places: &[u64]) -> Vec<Endless> {
        let symbols = &mut self.symbols.borrow_mut();
        let endless = |&pc| Endless { place: text(symbols, pc), operations: ENDLESS };
        places.iter().map(endless).collect()
    }

    /// What a run did on its way that it must not.
    pub(super) fn misuses(&mut self, decoded: &Decoded, setup: &Setup) -> Vec<Misuse> {
        let misuse = |note: &raddle_wire::Misuse| {
            let message = note.text().to_owned();
            let (pc, address) = (note.pc, note.address);
            let end = Decoded { pc, address, message, ..Decoded::lost(OutcomeKind::Misuse) };
            let outcome = self.outcome(&end, setup, None);
            Some(Misuse { point: note.point, failure: outcome.failure()?.clone() })
        };
        decoded.misuses.iter().filter_map(misuse).collect()
    }

    /// The outcome of a run. `output` is what another run wrote.
    pub(super) fn outcome(
        &mut self,
        decoded: &Decoded,
        setup: &Setup,
        output: Option<u64>,
    ) -> Outcome {
        match decoded.kind {
            OutcomeKind::Exited => exited(decoded, setup, output),
            OutcomeKind::Known => Outcome::Known,
            OutcomeKind::Cut => Outcome::Cut,
            OutcomeKind::Stopped => Outcome::Stopped,
            OutcomeKind::Limit | OutcomeKind::Again => Outcome::Steps,
            kind => {
                let mut places = vec![decoded.pc];
                if kind == OutcomeKind::Crash {
                    places.push(decoded.signal as u64);
                }
                for blocked in &decoded.blocked {
                    places.extend([u64::from(blocked.thread), blocked.pc, blocked.object]);
                }
                let key = (kind, places, decoded.message.clone());
                if let Some(known) = self.known.get(&key) {
                    return known.clone();
                }
                let outcome = describe(&mut self.symbols.borrow_mut(), decoded);
                self.known.insert(key, outcome.clone());
                outcome
            }
        }
    }
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

fn exited(decoded: &Decoded, setup: &Setup, output: Option<u64>) -> Outcome {
    let code = decoded.exit_code;
    match setup.expect_exit {
        Some(expected) if expected != code => Outcome::Failed(Failure::new(
            FailureKind::ExitStatus,
            [Location::named(format!("status {code}"))],
            format!("the program ends with status {code}, not {expected}"),
        )),
        _ if setup.same_output && output.is_some_and(|hash| hash != decoded.output_hash) => {
            let message = "the output of the program differs from that of its first run";
            Outcome::Failed(Failure::new(FailureKind::Output, [], message))
        }
        _ => Outcome::Passed,
    }
}

fn describe(symbols: &mut Symbols, decoded: &Decoded) -> Outcome {
    let place = (decoded.pc != 0).then(|| Location::parse(&text(symbols, decoded.pc)));
    let has_place = place.as_ref().is_some_and(|place| !place.name.starts_with("0x"));
    let message = symbols.with_place(&decoded.message);
    let failure = |kind, message: String| Failure::new(kind, place.clone(), message);
    let failed = |kind, message| Outcome::Failed(failure(kind, message));
    match decoded.kind {
        OutcomeKind::Deadlock => Outcome::Failed(deadlock(symbols, &decoded.blocked)),
        OutcomeKind::Hang => {
            let blocked = deadlock(symbols, &decoded.blocked);
            let message = format!("{message}: {}", blocked.message);
            Outcome::Failed(Failure { kind: FailureKind::Hang, message, ..blocked })
        }
        OutcomeKind::Livelock => failed(FailureKind::Livelock, "every thread spins".to_owned()),
        OutcomeKind::Assertion => {
            let message = if has_place { expression(&message) } else { &message };
            failed(FailureKind::Assertion, format!("assertion failed: {message}"))
        }
        OutcomeKind::Abort => failed(FailureKind::Abort, "the program aborts".to_owned()),
        OutcomeKind::Crash => failed(FailureKind::Crash, crash(decoded)),
        OutcomeKind::UseAfterFree => failed(FailureKind::UseAfterFree, message),
        OutcomeKind::BadFree => failed(FailureKind::InvalidFree, message),
        OutcomeKind::Misuse => {
            failed(FailureKind::Misuse, symbols.misused(&decoded.message, decoded.address))
        }
        OutcomeKind::None => {
            let message = "the run did not end in time".to_owned();
            Outcome::Unsupported(failure(FailureKind::Hang, message))
        }
        OutcomeKind::Misfit => {
            Outcome::Unsupported(failure(FailureKind::Unsupported, why_misfit(decoded)))
        }
        _ => Outcome::Unsupported(failure(FailureKind::Unsupported, message)),
    }
}

/// What is asserted, without the place before it: that of the call says the same.
fn expression(message: &str) -> &str {
    let text = message.split_once(": `").and_then(|(_, text)| text.strip_suffix('`'));
    text.unwrap_or(message)
}

fn crash(decoded: &Decoded) -> String {
    let name = match decoded.signal {
        4 => {
            "SIGILL: an invalid instruction; compilers insert one where a function ends without \
             returning a value"
        }
        5 => "SIGTRAP",
        7 => "SIGBUS",
        8 => "SIGFPE",
        11 => "SIGSEGV",
        _ => "a signal",
    };
    match decoded.signal {
        // As on the machine for C sources.
        11 if decoded.address < NEAR_NULL => {
            format!("null pointer dereference (address {:#x})", decoded.address)
        }
        11 | 7 => format!("the program crashes with {name} at address {:#x}", decoded.address),
        _ => format!("the program crashes with {name}"),
    }
}

/// Where an address is, as text.
pub(super) fn text(symbols: &mut Symbols, pc: u64) -> String {
    let place = symbols.place(pc).and_then(|place| place.text());
    place.unwrap_or_else(|| format!("{pc:#x}"))
}

fn deadlock(symbols: &mut Symbols, blocked: &[Blocked]) -> Failure {
    let mut places: Vec<Location> =
        blocked.iter().map(|one| Location::parse(&text(symbols, one.pc))).collect();
    places.sort_unstable();
    places.dedup();
    let waits: Vec<_> = blocked
        .iter()
        .map(|one| format!("thread {} waits for {}", one.thread, awaited(symbols, one)))
        .collect();
    Failure::new(FailureKind::Deadlock, places, waits.join("; "))
}

/// What a thread waits for, in words.
fn awaited(symbols: &Symbols, blocked: &Blocked) -> String {
    let noun = match Code::from_number(blocked.code as u8) {
        Some(Code::Join) => return format!("the end of thread {}", blocked.object),
        Some(Code::Pass) => return "something outside the program".to_owned(),
        Some(Code::Lock) => "the lock",
        Some(Code::Wake) => "the condition",
        Some(Code::Take) => "the semaphore",
        Some(Code::Leave) => "the barrier",
        _ => "the object at",
    };
    let name = symbols.object(blocked.object);
    format!("{noun} {}", name.unwrap_or_else(|| format!("{:#x}", blocked.object)))
}

/// Why the memory of a process cannot be put back, in words.
pub(super) fn why_misfit(decoded: &Decoded) -> String {
    match decoded.address {
        MISFIT_THREADS | MISFIT_STACK => decoded.message.clone(),
        number => {
            let known = usize::try_from(number).ok().and_then(Sysno::new);
            let name = call_name(number).or(known.map(|call| call.name()));
            name.map_or_else(
                || format!("it makes system call {number}"),
                |name| format!("it calls {name}"),
            )
        }
    }
}

/// What calls do that programs make often, where their names do not say why their effects stay.
fn call_name(number: u64) -> Option<&'static str> {
    Some(match number {
        0 | 17 | 19 => "read on a file that it has not opened",
        1 | 20 => "write on a file that it has not opened",
        2 | 257 => "open to write a file",
        3 => "close on a file that it has not opened",
        10 => "mprotect",
        11 => "munmap",
        13 => "sigaction for a fatal signal",
        16 => "ioctl",
        33 | 292 => "dup2",
        41 => "socket",
        56 | 57 | 58 | 435 => "fork",
        59 | 322 => "exec",
        76 | 77 => "truncate",
        80 | 81 => "chdir",
        82 | 264 | 316 => "rename",
        83 | 258 => "mkdir",
        84 | 87 | 263 => "unlink",
        _ => return None,
    })
}
