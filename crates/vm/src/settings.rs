//! Settings: what a run may use, and where it can be interrupted.

use raddle_cfront::ir::{Nondet, Program};
use raddle_explore::Race;
use raddle_finding::ProgramId;
use rustc_hash::FxHashSet;

use crate::races;
use crate::site::Site;

/// Before which operations other threads may go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Points {
    /// Synchronisation, atomic accesses and the ends of threads.
    #[default]
    Sync,
    /// These, and every access to memory that threads can share, freeing it included.
    All,
}

impl Points {
    /// What the identity of a program ends with.
    pub(crate) const ALL_SUFFIX: &str = ".all";

    /// The points that a schedule was made for, but for accesses that it names.
    pub fn of(program: &ProgramId) -> Points {
        let all = program.as_str().ends_with(Points::ALL_SUFFIX);
        if all { Points::All } else { Points::Sync }
    }
}

/// What a run may use, and where it can be interrupted.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The arguments of the program, its name first.
    pub arguments: Vec<Vec<u8>>,
    /// What it can read on standard input.
    pub stdin: Vec<u8>,
    /// How many transitions a run may take.
    pub n_steps_max: u64,
    /// How many transitions a thread may take without synchronising before a point is put in its
    /// way, so that a thread that waits without any visible operation does not wait for ever.
    pub n_steps_between_points: u64,
    /// How many bytes of memory the program may have at a time, at most 4 GiB.
    pub memory_max: u64,
    /// How many threads may run at a time.
    pub n_threads_max: u32,
    /// How many bytes of registers and locals a thread may have.
    pub stack_max: u64,
    /// Where threads can be interrupted.
    pub points: Points,
    /// Transitions that are points, too.
    pub promoted: FxHashSet<Site>,
    /// Whether a wait on a condition may end for no reason.
    pub spurious: bool,
    /// Whether a run ends where a thread unlocks a mutex that it does not hold. Otherwise it goes on as with the C
    /// library: the mutex is free then.
    pub strict_locks: bool,
    /// Whether of threads that have not started and are alike (function, argument, detached or
    /// not) only the first can be chosen. What it leaves out differs in the numbers of threads
    /// only, if nothing distinguishes these threads; that is up to the program.
    pub symmetry: bool,
    /// Whether a call of `abort` is a false assumption instead of a fault.
    pub assume_abort: bool,
    /// Whether states in which the same objects have other addresses are different states from
    /// the start, not only from the first time on that a run computes with an address.
    pub exact_addresses: bool,
    /// Whether timed waits may run out while something else can happen.
    pub timeouts: bool,
    /// The range of nondeterministic values; without one they come from a small set
    /// ([`Inputs`](crate::Inputs)), or are zero, with a remark.
    pub nondet: Option<(i64, i64)>,
    /// Whether nondeterministic values without a range come from a small set.
    pub small_inputs: bool,
    /// Ranges for single types, which go before the general one.
    pub nondet_kinds: Vec<(Nondet, (i64, i64))>,
}

impl Settings {
    /// Takes over the points that an identity names.
    pub fn take_points(&mut self, program: &ProgramId) {
        self.points = Points::of(program);
        let sites = program.points().map(|(_, sites)| sites);
        self.promoted = sites.unwrap_or_default().into_iter().map(races::site).collect();
    }

    /// Makes points of the accesses of races, unless all accesses are.
    pub fn promote(&mut self, races: &[Race]) {
        self.promoted.extend(races.iter().flat_map(|race| race.sites.map(races::site)));
    }

    /// The identity of a program with these points, for schedules: which choices there are depends on both.
    pub fn identity(&self, program: &Program) -> ProgramId {
        let program = ProgramId::of_hash(program.identity);
        let suffix = match self.points {
            Points::All => Points::ALL_SUFFIX,
            Points::Sync if self.promoted.is_empty() => return program,
            Points::Sync => {
                let sites = self.promoted.iter().map(|&site| races::number(site)).collect();
                if let Some(named) = program.with_points(&sites) {
                    return named;
                }
                ".some"
            }
        };
        format!("{program}{suffix}").parse().expect("a suffix of letters")
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            arguments: vec![b"program".to_vec()],
            stdin: Vec::new(),
            n_steps_max: 1_000_000_000,
            n_steps_between_points: 100_000,
            memory_max: 1 << 30,
            n_threads_max: 256,
            stack_max: 8 << 20,
            points: Points::default(),
            promoted: FxHashSet::default(),
            strict_locks: true,
            spurious: false,
            symmetry: false,
            assume_abort: false,
            exact_addresses: false,
            timeouts: true,
            nondet: None,
            small_inputs: true,
            nondet_kinds: Vec::new(),
        }
    }
}

impl Settings {
    /// The range of values of a type, within what the type can hold.
    pub(crate) fn range(&self, nondet: Nondet) -> Option<(i64, i64)> {
        let special = self.nondet_kinds.iter().find(|(kind, _)| *kind == nondet);
        let (low, high) = special.map(|&(_, range)| range).or(self.nondet)?;
        let (least, most) = limits(nondet);
        let low = low.clamp(least, most);
        Some((low, high.clamp(low, most)))
    }
}

pub(crate) fn limits(nondet: Nondet) -> (i64, i64) {
    let Nondet::Scalar(kind) = nondet else { return (0, 1) };
    let bits = 8 * kind.size();
    match (kind.is_signed() || kind.is_float(), bits) {
        (true, 64) => (i64::MIN, i64::MAX),
        (true, _) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        (false, 64) => (0, i64::MAX),
        (false, _) => (0, (1 << bits) - 1),
    }
}
