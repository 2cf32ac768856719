//! Happens-before against its definition: on random small executions, the relation as a matrix, from the text of the
//! standards, closed by Warshall's algorithm. It knows neither times nor clocks, and shares no code with what it judges.

#[path = "oracle/definition.rs"]
mod definition;
#[path = "oracle/engine.rs"]
mod engine;
#[path = "oracle/execution.rs"]
mod execution;

use std::collections::BTreeMap;

use definition::{Relation, Rule};
use engine::Replay;
use execution::{Event, What, random};
use raddle_happens::Ordered;

/// How many executions are judged.
fn n_cases() -> u64 {
    std::env::var("RADDLE_HAPPENS").ok().and_then(|n| n.parse().ok()).unwrap_or(40_000)
}

/// Replays a random execution as far as there is room, and compares; whether there was room for all of it.
fn judge(seed: u64, room: [u32; 3], counts: &mut BTreeMap<String, u64>) -> bool {
    let events = random(&mut fastrand::Rng::with_seed(seed));
    let [newer, older] = [Rule::Cpp20, Rule::C11].map(|rule| Relation::of(&events, rule));
    let mut replay = Replay::new(room);
    for (later, event) in events.iter().enumerate() {
        let orders = replay.step(event);
        if replay.is_full() {
            return false;
        }
        for (earlier, ordered) in orders {
            let expected = match (newer.has(earlier, later), older.has(earlier, later)) {
                (true, true) => Ordered::Always,
                (false, true) => Ordered::ByC11,
                (false, false) => Ordered::Never,
                (true, false) => panic!("seed {seed}: C++20 orders what C11 does not"),
            };
            assert_eq!(ordered, expected, "seed {seed}: {earlier} and {later} of {events:#?}");
            *counts.entry(format!("{expected:?}")).or_default() += 1;
        }
    }
    true
}

#[test]
fn what_is_ordered_is_ordered_by_definition() {
    let mut counts = BTreeMap::new();
    for seed in 0..n_cases() {
        assert!(judge(seed, [u32::MAX; 3], &mut counts));
    }
    // Each answer comes up often enough for a broken rule to show.
    assert!(counts.len() == 3 && counts.values().all(|&n| n > n_cases() / 3), "{counts:?}");
}

#[test]
fn what_finds_no_room_is_noticed() {
    let mut n_full = [0; 3];
    for seed in 0..n_cases() / 2 {
        let kind = seed as usize % 3;
        let mut room = [u32::MAX; 3];
        room[kind] = [17, 0, 1][kind] + (seed / 3 % [80, 4, 4][kind]) as u32;
        n_full[kind] += u64::from(!judge(seed, room, &mut BTreeMap::new()));
    }
    assert!(n_full.iter().all(|&n| n > n_cases() / 200), "{n_full:?}");
}

/// What is said of the last event and the first one of a hand-written execution.
#[track_caller]
fn check(events: &[(u32, What)], expected: Ordered) {
    let mut replay = Replay::new([u32::MAX; 3]);
    let steps = events.iter().map(|&(thread, what)| replay.step(&Event { thread, what }));
    let last = steps.last().expect("there are events");
    assert_eq!(last.iter().find(|(earlier, _)| *earlier == 0).map(|it| it.1), Some(expected));
}

mod by_hand {
    use raddle_happens::Order::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
    use raddle_happens::Ordered::{self, Always, ByC11, Never};

    use super::check;
    use super::execution::What::{self, *};

    const BEFORE: (u32, What) = (0, Access);
    const BEHIND: (u32, What) = (1, Access);

    #[track_caller]
    fn between(events: &[(u32, What)], expected: Ordered) {
        check(&[&[BEFORE], events, &[BEHIND]].concat(), expected);
    }

    #[test]
    fn a_release_is_before_the_acquire_that_reads_it() {
        let both = |store, load| [(0, Store(0, store)), (1, Load(0, load))];
        for store in [Release, AcqRel, SeqCst] {
            for load in [Acquire, AcqRel, SeqCst] {
                between(&both(store, load), Always);
            }
            between(&both(store, Relaxed), Never);
            between(&both(store, Release), Never);
        }
        between(&both(Relaxed, Acquire), Never);
        between(&both(Acquire, Acquire), Never);
        between(&[(0, Store(0, Release)), (1, Load(1, Acquire))], Never);
    }

    #[test]
    fn modifications_go_on_with_a_release_sequence_and_stores_end_it() {
        let through =
            |thread, what| [(0, Store(0, Release)), (thread, what), (1, Load(0, Acquire))];
        between(&through(2, Modify(0, Relaxed)), Always);
        between(&through(0, Modify(0, Relaxed)), Always);
        between(&through(2, Store(0, Relaxed)), Never);
        between(&through(2, Store(0, Release)), Never);
        between(&through(2, Overwrite(0)), Never);
        between(&through(0, Overwrite(0)), Never);
        between(&through(2, Fail(0, SeqCst)), Always);
    }

    #[test]
    fn own_stores_go_on_with_it_in_c11_only() {
        let then = |more: &[(u32, What)]| {
            [&[(0, Store(0, Release)), (0, Store(0, Relaxed))], more, &[(1, Load(0, Acquire))]]
                .concat()
        };
        between(&then(&[]), ByC11);
        between(&then(&[(2, Modify(0, Relaxed))]), ByC11);
        between(&then(&[(2, Modify(0, Release)), (0, Store(0, Relaxed))]), ByC11);
        between(&then(&[(2, Store(0, Relaxed)), (0, Store(0, Relaxed))]), Never);
        between(&then(&[(0, Overwrite(0)), (0, Store(0, Relaxed))]), Never);
        between(&then(&[(0, Store(0, Release))]), Always);
    }

    #[test]
    fn what_only_c11_orders_is_handed_on_as_that() {
        let learned = [(0, Store(0, Release)), (0, Store(0, Relaxed)), (2, Load(0, Acquire))];
        let on = |give, take| [&learned[..], &[(2, give), (1, take)]].concat();
        between(&on(Unlock(0, false), Lock(0, false)), ByC11);
        between(&on(Post(0), Take(0)), ByC11);
        between(&on(Store(1, Release), Load(1, Acquire)), ByC11);
        between(&[&learned[..], &[(2, Fork(1))]].concat(), ByC11);
        between(&[&learned[..], &[(1, Join(2))]].concat(), ByC11);
    }

    #[test]
    fn fences_order_with_the_relaxed_accesses_around_them() {
        let fenced = |before: Order, after: Order| {
            [(0, Fence(before)), (0, Store(0, Relaxed)), (1, Load(0, Relaxed)), (1, Fence(after))]
        };
        for release in [Release, AcqRel, SeqCst] {
            for acquire in [Acquire, AcqRel, SeqCst] {
                between(&fenced(release, acquire), Always);
            }
            between(&fenced(release, Release), Never);
        }
        between(&fenced(Acquire, Acquire), Never);
        // On the wrong side.
        between(&[(0, Store(0, Relaxed)), (0, Fence(SeqCst)), (1, Load(0, Acquire))], Never);
        between(&[(0, Store(0, Release)), (1, Fence(SeqCst)), (1, Load(0, Relaxed))], Never);
        // A fence is enough for many stores, and for those who read through modifications.
        between(
            &[
                (0, Fence(Release)),
                (0, Store(1, Relaxed)),
                (0, Store(0, Relaxed)),
                (1, Load(0, Acquire)),
            ],
            Always,
        );
        between(
            &[
                (0, Fence(Release)),
                (2, Store(0, Release)),
                (0, Modify(0, Relaxed)),
                (1, Load(0, Acquire)),
            ],
            Always,
        );
    }

    /// What was said later than the last fence goes on in C11 only; what the fence said goes on with it.
    #[test]
    fn a_store_behind_an_older_fence_says_what_the_fence_said() {
        check(
            &[
                BEFORE,
                (0, Fence(Release)),
                (0, Store(0, Release)),
                (0, Store(0, Relaxed)),
                (1, Load(0, Acquire)),
                BEHIND,
            ],
            Always,
        );
        let late = [(0, Fence(Release)), BEFORE, (0, Store(0, Release)), (0, Store(0, Relaxed))];
        let mut replayed = super::Replay::new([u32::MAX; 3]);
        for (thread, what) in late.into_iter().chain([(1, Load(0, Acquire))]) {
            replayed.step(&super::Event { thread, what });
        }
        let (thread, what) = BEHIND;
        assert_eq!(replayed.step(&super::Event { thread, what })[..2], [(0, Always), (1, ByC11)]);
    }

    #[test]
    fn a_compare_exchange_that_fails_reads_with_its_failure_order() {
        between(&[(0, Store(0, Release)), (1, Fail(0, Acquire))], Always);
        between(&[(0, Store(0, Release)), (1, Fail(0, Relaxed))], Never);
        between(&[(0, Store(0, Release)), (1, Fail(0, Relaxed)), (1, Fence(Acquire))], Always);
        // It writes nothing, so that nobody learns from it.
        between(&[(0, Fail(0, SeqCst)), (1, Load(0, Acquire))], Never);
    }

    #[test]
    fn locks_threads_and_waits_order() {
        between(&[(0, Unlock(0, false)), (1, Lock(0, false))], Always);
        between(&[(0, Unlock(0, false)), (1, Lock(1, false))], Never);
        between(&[(0, Unlock(0, true)), (1, Lock(0, true))], Never);
        between(&[(0, Unlock(0, true)), (1, Lock(0, false))], Always);
        between(&[(0, Unlock(0, false)), (1, Lock(0, true))], Always);
        between(&[(0, Fork(1))], Always);
        between(&[(1, Join(0))], Always);
        between(&[(1, Wait(0)), (0, Notify(Some(1))), (1, Wake(true))], Always);
        between(&[(1, Wait(0)), (0, Notify(Some(1))), (1, Wake(false))], Never);
        between(&[(1, Wait(0)), (0, NotifyAll(0)), (1, Wake(true))], Always);
        between(&[(1, Wait(0)), (0, NotifyAll(1)), (1, Wake(true))], Never);
        between(&[(0, Arrive(0)), (1, Arrive(0)), (1, Depart(0))], Always);
        between(&[(0, LeaveFor(1)), (1, TakeLeft)], Always);
        between(&[(0, LeaveFor(2)), (1, TakeLeft)], Never);
    }
}
