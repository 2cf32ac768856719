//! Every config gives a valid trace of the right length, and each knob does what it says.

use proptest::prelude::*;
use raddle_trace::check::Mode;
use raddle_trace::{Event, Events, Kind, LockId, LockMode, Op, Order, Trace, WakeReason};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::Xxh3;

use super::{Config, Preset, Shape, Size, generate};
use crate::layout::Layout;

/// Generates a trace that must be valid and of the right length.
#[track_caller]
fn trace(config: &Config) -> Trace {
    let events = generate(config).unwrap();
    assert_eq!(events.len(), config.events);
    Trace::new(events, Mode::Strict).unwrap_or_else(|violation| panic!("{violation}\n{config:?}"))
}

fn of(size: Size, shape: Shape) -> Config {
    Preset { size, shape }.config()
}

fn kind(event: Event) -> Kind {
    event.op.encode().0.kind()
}

fn kinds(config: &Config) -> FxHashSet<Kind> {
    trace(config).iter().map(kind).collect()
}

/// Calls `visit` with each event and the locks that its thread holds before it.
fn with_locks(trace: &Trace, mut visit: impl FnMut(Event, &[(LockId, LockMode)])) {
    let mut held = vec![Vec::new(); trace.n_threads()];
    for event in trace.iter() {
        let held = &mut held[event.thread.index()];
        visit(event, held);
        match event.op {
            Op::Acquire { lock, mode, .. } => held.push((lock, mode)),
            Op::Release { lock, .. } => held.retain(|&(l, _)| l != lock),
            _ => {}
        }
    }
}

fn hash(events: &Events) -> u64 {
    let mut hash = Xxh3::new();
    for event in events.iter() {
        let (code, object) = event.op.encode();
        let location = event.location.and_then(|l| events.tables.locations.get(l.0));
        hash.update(&event.thread.0.to_le_bytes());
        hash.update(&[code.byte()]);
        hash.update(&object.to_le_bytes());
        hash.update(location.unwrap_or_default().as_bytes());
        hash.update(&events.value(event.id).unwrap_or(0).to_le_bytes());
    }
    hash.digest()
}

/// Often none or all, otherwise anything.
fn probability() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64]
}

prop_compose! {
    fn sizes()(
        extra in 0usize..400,
        threads in 1u32..9,
        locks in 0u32..6,
        vars in 1u32..20,
        seed: u64,
        depth in 0u32..5,
        burst in 1u32..20,
        flags in prop::array::uniform7(any::<bool>()),
    ) -> Config {
        let [join, begin_end, truncate, nested, ordered, request, values] = flags;
        let config = Config {
            threads, locks, vars, seed, depth, burst, join, begin_end, truncate, nested, ordered,
            request, values, ..Config::default()
        };
        Config { events: config.n_reserved() + extra, ..config }
    }
}

prop_compose! {
    fn configs()(
        config in sizes(),
        p in prop::array::uniform20(probability()),
    ) -> Config {
        Config {
            fork_span: p[0], fork_tree: p[1], retire: p[2], locking: p[3], readers: p[4],
            trylock: p[5], shared: p[6], local: p[7], protect: p[8], write: p[9], atomic: p[10],
            update: p[11], wait: p[12], timeout: p[13], notify_all: p[14], semaphore: p[15],
            barrier: p[16], transaction: p[17], branch: p[18], alloc: p[19],
            ..config
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn every_config_gives_a_valid_trace(config in configs()) {
        let trace = trace(&config);
        prop_assert!(trace.repairs().is_empty());
        prop_assert_eq!(trace.claims.nested_locks, config.nested);
        if !config.truncate {
            check_closed(&trace, &config);
        }
    }

    #[test]
    fn ordered_locks_are_taken_upwards(config in configs()) {
        let config = Config { ordered: true, ..config };
        with_locks(&trace(&config), |event, held| {
            if let Op::Acquire { lock, .. } = event.op {
                assert!(held.iter().all(|&(outer, _)| outer < lock));
                assert!(held.len() < config.depth as usize);
            }
        });
    }

    #[test]
    fn reads_see_the_last_write(config in configs()) {
        let trace = trace(&Config { values: true, ..config });
        for event in trace.iter().filter(|event| trace.code(event.id).is_access()) {
            let value = trace.value(event.id).unwrap();
            if let Op::Read { .. } = event.op {
                let written = trace.writer(event.id).map_or(Some(0), |w| trace.value(w));
                assert_eq!(Some(value), written);
            }
        }
    }
}

/// Nothing is left open at the end.
#[track_caller]
fn check_closed(trace: &Trace, config: &Config) {
    assert!(trace.scopes().iter().all(|scope| scope.release().is_some()));
    assert!(trace.transactions().iter().all(|transaction| transaction.end.is_some()));
    assert!(trace.waits().iter().all(|wait| wait.wake.is_some()));
    let count = |kind| trace.iter().filter(|event| self::kind(*event) == kind).count();
    let n_threads = config.threads as usize;
    assert_eq!(count(Kind::Arrive), count(Kind::Leave));
    assert_eq!(count(Kind::Fork), n_threads - 1);
    assert_eq!(count(Kind::Join), if config.join { n_threads - 1 } else { 0 });
    assert_eq!(count(Kind::End), if config.begin_end { n_threads } else { 0 });
    assert_eq!(count(Kind::Begin), count(Kind::End));
}

#[test]
fn presets_are_valid() {
    let small = |preset: &Preset| preset.size <= Size::K100;
    for preset in Preset::all().filter(small) {
        trace(&preset.config());
    }
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    let config = of(Size::K10, Shape::Full);
    let other_seed = Config { seed: 2, ..config.clone() };
    let first = generate(&config).unwrap();
    assert_eq!(first, generate(&config).unwrap());
    assert_ne!(first, generate(&other_seed).unwrap());
    assert_eq!(hash(&first), 0xe178_4656_6c40_db80);
}

#[test]
fn plain_traces_have_nothing_but_accesses_locks_forks_and_joins() {
    let plain = [Kind::Read, Kind::Write, Kind::Acquire, Kind::Release, Kind::Fork, Kind::Join];
    for shape in [Shape::Plain, Shape::Local] {
        assert_eq!(kinds(&of(Size::K10, shape)), plain.into_iter().collect());
    }
}

#[test]
fn full_traces_have_every_kind_but_assertions() {
    let all = Kind::ALL.into_iter().filter(|&kind| kind != Kind::Assert).collect();
    assert_eq!(kinds(&of(Size::K10, Shape::Full)), all);
}

#[test]
fn knobs_switch_kinds_off() {
    type Switch = (fn(&mut Config), &'static [Kind]);
    let switches: [Switch; 11] = [
        (|c| c.join = false, &[Kind::Join]),
        (|c| c.begin_end = false, &[Kind::Begin, Kind::End]),
        (|c| c.request = false, &[Kind::Request]),
        (|c| c.trylock = 0.0, &[Kind::TryFail]),
        (|c| c.wait = 0.0, &[Kind::Wait, Kind::Wake, Kind::Notify, Kind::NotifyAll]),
        (|c| c.semaphore = 0.0, &[Kind::Post, Kind::Take]),
        (|c| c.barrier = 0.0, &[Kind::Arrive, Kind::Leave]),
        (|c| c.transaction = 0.0, &[Kind::TxBegin, Kind::TxEnd]),
        (|c| c.atomic = 0.0, &[Kind::ReadModifyWrite]),
        (|c| c.branch = 0.0, &[Kind::Branch]),
        (|c| c.alloc = 0.0, &[Kind::Alloc, Kind::Free]),
    ];
    for (switch, off) in switches {
        let mut config = of(Size::K100, Shape::Full);
        switch(&mut config);
        let expected = |kind: &Kind| *kind != Kind::Assert && !off.contains(kind);
        assert_eq!(kinds(&config), Kind::ALL.into_iter().filter(expected).collect());
    }
}

#[test]
fn waits_end_in_all_ways() {
    let trace = trace(&of(Size::K100, Shape::Full));
    let reason = |wait: &raddle_trace::Wait| wait.wake.map(|wake| trace.code(wake).wake_reason());
    let n = |why| trace.waits().iter().filter(|wait| reason(wait) == Some(why)).count();
    assert!(n(WakeReason::Notified) > 10 && n(WakeReason::Timeout) > 10);
    let mut woken = FxHashMap::default();
    trace.waits().iter().filter_map(|w| w.notify).for_each(|n| *woken.entry(n).or_insert(0) += 1);
    assert!(woken.values().any(|&n| n > 1), "a notify of all wakes several");
}

#[test]
fn protected_accesses_hold_the_lock_of_the_variable() {
    let config = Config { protect: 1.0, readers: 0.3, ..of(Size::K10, Shape::Plain) };
    let layout = Layout::new(&config);
    let mut n_guarded = 0;
    with_locks(&trace(&config), |event, held| {
        let (var, writes) = match event.op {
            Op::Read { var, .. } => (var, false),
            Op::Write { var, .. } => (var, true),
            _ => return,
        };
        if var.0 < layout.n_shared() {
            let home = LockId(var.0 % layout.n_stripes);
            let fits = |&(lock, mode): &(LockId, LockMode)| {
                lock == home && (mode == LockMode::Exclusive || !writes)
            };
            assert!(held.iter().any(fits));
            n_guarded += 1;
        }
    });
    assert!(n_guarded > 1_000);
}

#[test]
fn unprotected_accesses_are_made_as_well() {
    let config = Config { protect: 0.0, local: 0.0, locking: 0.0, ..of(Size::K10, Shape::Plain) };
    assert!(!kinds(&config).contains(&Kind::Acquire));
}

#[test]
fn own_variables_stay_in_their_thread() {
    let config = of(Size::K10, Shape::Full);
    let layout = Layout::new(&config);
    for event in trace(&config).iter() {
        if let Op::Read { var, .. } | Op::Write { var, .. } = event.op
            && (layout.n_shared()..config.vars).contains(&var.0)
        {
            assert_eq!((var.0 - layout.n_shared()) % config.threads, event.thread.0);
        }
    }
}

#[test]
fn releases_cross_where_they_may() {
    let crossings = |nested| {
        let mut n = 0;
        let config = Config { nested, locking: 0.4, ..of(Size::K10, Shape::Plain) };
        with_locks(&trace(&config), |event, held| {
            if let Op::Release { lock, .. } = event.op {
                n += usize::from(held.last().is_some_and(|&(innermost, _)| innermost != lock));
            }
        });
        n
    };
    assert_eq!(crossings(true), 0);
    assert!(crossings(false) > 10);
}

#[test]
fn a_truncated_trace_leaves_things_open() {
    let config = Config { truncate: true, retire: 0.0, ..of(Size::K10, Shape::Full) };
    let open = |seed| {
        let trace = trace(&Config { seed, ..config.clone() });
        trace.scopes().iter().any(|scope| scope.release().is_none())
    };
    assert!((0..10).any(open));
    assert!(!kinds(&config).contains(&Kind::Join));
}

#[test]
fn threads_are_forked_by_threads_and_end_early() {
    let config = Config { retire: 1.0, fork_tree: 1.0, ..of(Size::K10, Shape::Plain) };
    let trace = trace(&config);
    let forks = trace.iter().filter(|event| matches!(event.op, Op::Fork { .. }));
    assert!(forks.filter(|fork| fork.thread.0 != 0).count() > 1);
    let joins = trace.iter().filter(|event| matches!(event.op, Op::Join { .. }));
    assert!(joins.filter(|join| join.id.0 < 9_000).count() > 1);
}

#[test]
fn atomics_have_orders_and_are_never_plain() {
    let config = Config { atomic: 1.0, ..of(Size::K10, Shape::Full) };
    let layout = Layout::new(&config);
    let mut orders = FxHashSet::default();
    for event in trace(&config).iter() {
        if let Op::Read { var, order }
        | Op::Write { var, order }
        | Op::ReadModifyWrite { var, order } = event.op
        {
            assert_eq!(order != Order::Plain, var.0 < layout.n_atomic);
            orders.insert(order);
        }
    }
    assert_eq!(orders.len(), 6);
}

#[test]
fn a_line_of_code_does_one_thing_to_few_objects() {
    let config = of(Size::K100, Shape::Full);
    let trace = trace(&config);
    let mut lines: FxHashMap<_, (FxHashSet<Kind>, FxHashSet<u32>)> = FxHashMap::default();
    for event in trace.iter() {
        let (code, object) = event.op.encode();
        let (kinds, objects) = lines.entry(event.location.unwrap()).or_default();
        kinds.insert(code.kind());
        objects.insert(object);
    }
    // A wait is one line: it also releases the lock and takes it back.
    let single = |kinds: &FxHashSet<Kind>| {
        kinds.len() == 1
            || kinds.contains(&Kind::Wait)
            || kinds.iter().all(|kind| matches!(kind, Kind::Arrive | Kind::Leave))
            || kinds
                .iter()
                .all(|kind| matches!(kind, Kind::Acquire | Kind::Request | Kind::TryFail))
    };
    assert!(lines.values().all(|(kinds, _)| single(kinds)));
    let most = lines.values().map(|(_, objects)| objects.len()).max().unwrap();
    assert!(most <= 8 * config.threads as usize, "{most}");
    let n_lines = lines.len();
    assert!((200..20_000).contains(&n_lines), "{n_lines}");
}

#[test]
fn local_traces_interact_rarely() {
    let share = |shape| {
        let trace = trace(&of(Size::K100, shape));
        let threads: Vec<_> = trace.iter().map(|event| event.thread).collect();
        let n_switches = threads.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let n_acquires = trace.iter().filter(|event| kind(*event) == Kind::Acquire).count();
        (n_switches, n_acquires)
    };
    let (plain, local) = (share(Shape::Plain), share(Shape::Local));
    assert!(local.0 * 8 < plain.0 && local.1 * 4 < plain.1, "{plain:?} {local:?}");
}
