//! Runs, as the runtime writes them.
//!
//! A target can write over all of it: lengths are cut to what there is room for, and what makes no
//! sense is an error.

use super::spins::Spin;
use raddle_explore::{Access, Operation, Point, Race, Run, Touch};
use raddle_finding::Choice;
use raddle_wire::board::{
    ALTERNATIVES_MAX, Layout, OPERATIONS_MAX, OperationRecord, POINTS_MAX, PointFlags, PointRecord,
    RACE_LEN, RACES_MAX, Slot,
};
use raddle_wire::{Blocked, Misuse, OutcomeKind, RaceRecord, Shared};

/// What is told of a run beside its points.
#[derive(Clone, Debug)]
pub(super) struct Decoded {
    pub(super) kind: OutcomeKind,
    pub(super) n_threads: u32,
    pub(super) exit_code: i32,
    pub(super) signal: i32,
    pub(super) pc: u64,
    pub(super) address: u64,
    pub(super) diverged_at: u64,
    pub(super) message: String,
    pub(super) blocked: Vec<Blocked>,
    pub(super) output_hash: u64,
    /// Where loops are that were taken for endless.
    pub(super) endless: Vec<u64>,
    pub(super) misuses: Vec<Misuse>,
}

impl Decoded {
    /// Of a run that nobody told anything of.
    pub(super) fn lost(kind: OutcomeKind) -> Decoded {
        Decoded {
            kind,
            n_threads: 0,
            exit_code: 0,
            signal: 0,
            pc: 0,
            address: 0,
            diverged_at: 0,
            message: String::new(),
            blocked: Vec::new(),
            output_hash: 0,
            endless: Vec::new(),
            misuses: Vec::new(),
        }
    }
}

/// Reads a run; its outcome is for others to tell.
pub(super) fn decode(
    layout: &Layout,
    base: *const u8,
    number: u32,
    spins: &mut Vec<Spin>,
    run: &mut Run,
) -> Result<Decoded, String> {
    spins.clear();
    run.clear();
    // SAFETY: the layout says where each is, and no length is above what there is room for. The
    // runtime is done with this slot.
    let (slot, points, alternatives, operations, races) = unsafe {
        let slot = &*base.add(layout.slot(number)).cast::<Slot>();
        let n = |n: u32, most: usize| (n as usize).min(most);
        let points = base.add(layout.points(number)).cast::<PointRecord>();
        let alternatives = base.add(layout.alternatives(number)).cast::<u16>();
        let operations = base.add(layout.operations(number)).cast::<OperationRecord>();
        (
            slot,
            std::slice::from_raw_parts(points, n(slot.n_points.get(), POINTS_MAX)),
            std::slice::from_raw_parts(
                alternatives,
                n(slot.n_alternatives.get(), ALTERNATIVES_MAX),
            ),
            std::slice::from_raw_parts(operations, n(slot.n_operations.get(), OPERATIONS_MAX)),
            (0..n(slot.n_races.get(), RACES_MAX)).map(move |index| {
                base.add(layout.races(number) + index * RACE_LEN).cast::<RaceRecord>().read()
            }),
        )
    };
    let garbled = || "the program overwrote the runtime's record of its runs".to_owned();
    let (mut alternatives, mut operations) = (alternatives, operations);
    for point in points {
        let open = alternatives.split_off(..point.n_open as usize).ok_or_else(garbled)?;
        if point.taken >= point.n_open {
            return Err(garbled());
        }
        let is_waiter = point.flags & PointFlags::WAITER != 0;
        for &thread in open {
            let thread = thread.into();
            run.open(if is_waiter { Choice::Waiter(thread) } else { Choice::Thread(thread) });
        }
        let pending = operations.split_off(..point.n_operations as usize).ok_or_else(garbled)?;
        for record in pending {
            run.pending(operation(record).ok_or_else(garbled)?);
        }
        let has = |flag: u16| point.flags & flag != 0;
        if has(PointFlags::SPINNING) || has(PointFlags::ASIDE) {
            spins.push(Spin {
                point: run.points().len(),
                is_aside: has(PointFlags::ASIDE),
                restores: has(PointFlags::RESTORES),
                is_endless: has(PointFlags::ENDLESS),
            });
        }
        run.push(Point {
            current: point.current.into(),
            preemptible: has(PointFlags::PREEMPTIBLE),
            spinning: has(PointFlags::SPINNING),
            blocking: has(PointFlags::BLOCKING),
            taken: point.taken.into(),
            history: 0,
        });
    }
    for record in operations {
        run.pending(operation(record).ok_or_else(garbled)?);
    }
    for record in races {
        run.races.push(race(&record).ok_or_else(garbled)?);
    }
    let control = &slot.control;
    let kind = OutcomeKind::from_number(control.outcome.get()).ok_or_else(garbled)?;
    Ok(Decoded {
        kind,
        n_threads: control.n_threads.get(),
        exit_code: control.exit_code.get(),
        signal: control.signal.get(),
        pc: control.pc.get(),
        address: control.address.get(),
        diverged_at: control.diverged_at.get(),
        message: match kind {
            OutcomeKind::Exited => String::new(),
            _ => String::from_utf8_lossy(&control.message()).into_owned(),
        },
        blocked: control.blocked(),
        output_hash: slot.output_hash.get(),
        endless: slot.endless.iter().take(slot.n_endless.get() as usize).map(Shared::get).collect(),
        misuses: control.misuses(),
    })
}

fn operation(record: &OperationRecord) -> Option<Operation> {
    let access = Access::from_number(record.access)?;
    Some(Operation { thread: record.thread, access, object: record.object })
}

fn race(record: &RaceRecord) -> Option<Race> {
    let [one, other] = record.touches;
    Some(Race {
        sites: record.pcs,
        callers: record.pcs,
        touches: [Touch::from_number(one)?, Touch::from_number(other)?],
        threads: record.threads,
        starts: [0; 2],
        object: (0, record.address),
        bytes: (0, record.n_bytes.into()),
        point: record.point,
        in_doubt: record.doubt != 0,
        ordered_by_c11: record.ordered_by_c11 != 0,
    })
}
