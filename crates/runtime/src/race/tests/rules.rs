//! Each rule by hand: the order that prevents a race, and the near miss that does not.

use std::vec::Vec;

use raddle_happens::Touch;
use raddle_wire::RaceRecord;

use super::stream::What::{self, *};
use super::stream::{Event, tell};
use crate::race::Races;

const X: u64 = 0x1000;
const FLAG: u64 = 0x2000;
const LOCK: u64 = 0x3000;
const RELAXED: u16 = 0;
const ACQUIRE: u16 = 2;
const RELEASE: u16 = 3;

std::thread_local!(static RACES: Races = const { Races::new() });

/// The races of a stream; the index of an event is its program counter and its point.
fn races(events: &[(u32, What)]) -> Vec<RaceRecord> {
    RACES.with(|races| {
        assert!(races.begin(true));
        for (index, &(thread, what)) in (0..).zip(events) {
            tell(races, Event { thread, pc: index.into(), what }, index);
        }
        assert_eq!(races.n_forgotten(), 0);
        races.found().to_vec()
    })
}

#[track_caller]
fn check(events: &[(u32, What)], expected: &[[u64; 2]]) {
    let found: Vec<_> = races(events).iter().map(|race| race.pcs).collect();
    assert_eq!(found, expected);
}

#[test]
fn accesses_that_nothing_orders_race_if_one_writes() {
    check(&[(0, Write(X, 4)), (1, Write(X, 4))], &[[0, 1]]);
    check(&[(0, Read(X, 4)), (1, Write(X, 4))], &[[0, 1]]);
    check(&[(0, Write(X, 4)), (1, Read(X, 4))], &[[0, 1]]);
    check(&[(0, Read(X, 4)), (1, Read(X, 4))], &[]);
    check(&[(0, Write(X, 4)), (0, Write(X, 4))], &[]);
}

#[test]
fn only_common_bytes_race() {
    check(&[(0, Write(X, 4)), (1, Write(X + 4, 4))], &[]);
    check(&[(0, Write(X, 4)), (1, Write(X + 3, 2))], &[[0, 1]]);
    check(&[(0, Write(X + 6, 4)), (1, Read(X + 8, 1))], &[[0, 1]]);
    check(&[(0, Write(X, 2000)), (1, Read(X + 1999, 1))], &[[0, 1]]);
    check(&[(0, Write(X, 2000)), (1, Read(X + 2000, 1))], &[]);
    check(&[(0, Read(X + 700, 1)), (1, Write(X, 2000))], &[[0, 1]]);
}

#[test]
fn a_race_is_told_with_the_smaller_counter_first() {
    let races = |first, second| {
        RACES.with(|races| {
            assert!(races.begin(true));
            tell(races, Event { thread: 3, pc: first, what: Write(X + 2, 4) }, 7);
            tell(races, Event { thread: 1, pc: second, what: Load(X + 4, RELAXED) }, 8);
            races.found().to_vec()
        })
    };
    let race = RaceRecord {
        pcs: [50, 60],
        address: X + 4,
        threads: [3, 1],
        point: 8,
        n_bytes: 2,
        touches: [Touch::Write as u8, Touch::AtomicRead as u8],
        doubt: 0,
        ordered_by_c11: 0,
    };
    assert_eq!(races(50, 60), [race]);
    let (pcs, threads) = ([40, 50], [1, 3]);
    let touches = [Touch::AtomicRead as u8, Touch::Write as u8];
    assert_eq!(races(50, 40), [RaceRecord { pcs, threads, touches, ..race }]);
}

#[test]
fn a_pair_of_counters_is_told_once_in_each_execution() {
    RACES.with(|races| {
        assert!(races.begin(true));
        let write = |thread, pc| tell(races, Event { thread, pc, what: Write(X, 4) }, 0);
        for _ in 0..2 {
            races.reset();
            assert!(races.found().is_empty());
            (0..10).for_each(|step| write(step % 2, 5));
            assert_eq!(races.found().len(), 1);
        }
    });
}

#[test]
fn a_lock_orders() {
    let [lock, unlock] = [Lock(LOCK), Unlock(LOCK)];
    let both = [(0, lock), (0, Write(X, 4)), (0, unlock), (1, lock), (1, Write(X, 4))];
    check(&both, &[]);
    let after = [(0, lock), (0, unlock), (0, Write(X, 4)), (1, lock), (1, Write(X, 4))];
    check(&after, &[[2, 4]]);
    let other = [(0, lock), (0, Write(X, 4)), (0, unlock), (1, Lock(LOCK + 8)), (1, Write(X, 4))];
    check(&other, &[[1, 4]]);
}

#[test]
fn readers_are_ordered_with_writers_only() {
    let [read, done] = [LockShared(LOCK), UnlockShared(LOCK)];
    check(&[(0, read), (0, Write(X, 4)), (0, done), (1, read), (1, Write(X, 4))], &[[1, 4]]);
    check(&[(0, read), (0, Write(X, 4)), (0, done), (1, Lock(LOCK)), (1, Write(X, 4))], &[]);
    let writer = [(0, Lock(LOCK)), (0, Write(X, 4)), (0, Unlock(LOCK)), (1, read), (1, Read(X, 4))];
    check(&writer, &[]);
}

#[test]
fn a_thread_is_after_its_making_and_before_its_join() {
    check(&[(0, Write(X, 4)), (0, Fork(1)), (1, Write(X, 4)), (0, Join(1)), (0, Read(X, 4))], &[]);
    check(&[(0, Fork(1)), (0, Write(X, 4)), (1, Write(X, 4))], &[[1, 2]]);
    check(&[(0, Fork(1)), (1, Write(X, 4)), (0, Read(X, 4)), (0, Join(1))], &[[1, 2]]);
}

#[test]
fn the_largest_number_of_a_thread_is_like_others() {
    let last = u32::from(u16::MAX);
    check(&[(0, Fork(last)), (last, Write(X, 4)), (0, Join(last)), (0, Write(X, 4))], &[]);
    check(&[(0, Fork(last)), (last, Write(X, 4)), (0, Write(X, 4))], &[[1, 2]]);
}

#[test]
fn semaphores_and_what_orders_unseen_give_and_take() {
    for (give, take) in [(Post(LOCK), Take(LOCK)), (Give(LOCK), Get(LOCK))] {
        check(&[(0, Write(X, 4)), (0, give), (1, take), (1, Write(X, 4))], &[]);
        check(&[(0, give), (0, Write(X, 4)), (1, take), (1, Write(X, 4))], &[[1, 3]]);
    }
    let new = [(0, Write(X, 4)), (0, Post(LOCK)), (0, SemaphoreInit(LOCK)), (1, Take(LOCK))];
    check(&[&new[..], &[(1, Write(X, 4))]].concat(), &[[0, 4]]);
}

#[test]
fn what_ran_once_is_before_those_who_come_later() {
    let first = [(0, OnceEnter(LOCK)), (0, Write(X, 4)), (0, OnceDone(LOCK))];
    check(&[&first[..], &[(1, OncePass(LOCK)), (1, Read(X, 4))]].concat(), &[]);
    check(&[&first[..], &[(1, Read(X, 4))]].concat(), &[[1, 3]]);
}

#[test]
fn a_barrier_orders_who_arrives_before_who_leaves() {
    let round = [(0, Write(X, 4)), (0, Arrive(LOCK)), (1, Arrive(LOCK)), (1, Leave(LOCK))];
    let end = [(0, Leave(LOCK)), (1, Read(X, 4)), (0, Read(X, 4))];
    for begin in [&[(0, BarrierInit(LOCK, 2))][..], &[]] {
        check(&[begin, &round, &end].concat(), &[]);
    }
}

#[test]
fn who_arrives_for_the_next_round_is_not_part_of_the_last() {
    let begin = [(0, BarrierInit(LOCK, 2)), (0, Arrive(LOCK)), (1, Arrive(LOCK))];
    let late = [(2, Write(X, 4)), (2, Arrive(LOCK)), (0, Leave(LOCK)), (0, Read(X, 4))];
    check(&[&begin[..], &late].concat(), &[[3, 6]]);
}

#[test]
fn a_signal_is_before_the_wait_that_it_ends() {
    let begin = [(1, Wait(LOCK)), (0, Write(X, 4))];
    let end = [(1, Woken(LOCK)), (1, Read(X, 4))];
    check(&[&begin[..], &[(0, Notify(LOCK, Some(1)))], &end].concat(), &[]);
    check(&[&begin[..], &[(0, NotifyAll(LOCK))], &end].concat(), &[]);
    check(&[&begin[..], &[(0, Notify(LOCK, None))], &end].concat(), &[[1, 4]]);
    check(&[&begin[..], &[(0, NotifyAll(LOCK + 8))], &end].concat(), &[[1, 4]]);
    let late = [(1, TimedOut(LOCK)), (1, Read(X, 4))];
    check(&[&begin[..], &[(0, Notify(LOCK, Some(1)))], &late].concat(), &[[1, 4]]);
}

#[test]
fn atomics_do_not_race_with_each_other_but_with_plain_accesses() {
    check(&[(0, Store(X, RELAXED)), (1, Update(X, RELAXED)), (2, Load(X, RELAXED))], &[]);
    check(&[(0, Store(X, RELAXED)), (1, Read(X, 4))], &[[0, 1]]);
    check(&[(0, Miss(X, RELAXED)), (1, Read(X, 4))], &[]);
    check(&[(0, Miss(X, RELAXED)), (1, Write(X, 4))], &[[0, 1]]);
}

#[test]
fn a_release_is_before_the_acquire_that_reads_it() {
    let both = |store, load| [(0, Write(X, 4)), (0, store), (1, load), (1, Read(X, 4))];
    check(&both(Store(FLAG, RELEASE), Load(FLAG, ACQUIRE)), &[]);
    check(&both(Store(FLAG, RELEASE), Update(FLAG, ACQUIRE)), &[]);
    check(&both(Store(FLAG, RELEASE), Miss(FLAG, ACQUIRE)), &[]);
    check(&both(Store(FLAG, RELAXED), Load(FLAG, ACQUIRE)), &[[0, 3]]);
    check(&both(Store(FLAG, RELEASE), Load(FLAG, RELAXED)), &[[0, 3]]);
    check(&both(Store(FLAG, RELEASE), Load(FLAG + 4, ACQUIRE)), &[[0, 3]]);
}

#[test]
fn a_release_sequence_goes_on_through_updates() {
    let between = |thread, what| {
        let begin = [(0, Write(X, 4)), (0, Store(FLAG, RELEASE)), (thread, what)];
        [&begin[..], &[(1, Load(FLAG, ACQUIRE)), (1, Read(X, 4))]].concat()
    };
    check(&between(2, Update(FLAG, RELAXED)), &[]);
    check(&between(0, Store(FLAG, RELAXED)), &[[0, 4]]);
    check(&between(2, Store(FLAG, RELAXED)), &[[0, 4]]);
    let ordered_by_c11 = |thread| races(&between(thread, Store(FLAG, RELAXED)))[0].ordered_by_c11;
    assert_eq!([0, 2].map(ordered_by_c11), [1, 0]);
    check(&between(0, Write(FLAG, 4)), &[[2, 3], [0, 4]]);
}

#[test]
fn fences_order_with_the_relaxed_accesses_around_them() {
    let begin = [(0, Write(X, 4)), (0, Fence(RELEASE)), (0, Store(FLAG, RELAXED))];
    let end = [(1, Load(FLAG, RELAXED)), (1, Fence(ACQUIRE)), (1, Read(X, 4))];
    check(&[begin, end].concat(), &[]);
    check(
        &[begin, [(1, Fence(ACQUIRE)), (1, Load(FLAG, RELAXED)), (1, Read(X, 4))]].concat(),
        &[[0, 5]],
    );
    let late = [(0, Fence(RELEASE)), (0, Write(X, 4)), (0, Store(FLAG, RELAXED))];
    check(&[late, end].concat(), &[[1, 5]]);
}

#[test]
fn freeing_is_a_write_and_what_comes_later_is_other_memory() {
    check(&[(0, Read(X + 40, 4)), (1, Free(X, 48))], &[[0, 1]]);
    check(&[(0, Read(X + 48, 4)), (1, Free(X, 48))], &[]);
    check(&[(0, Read(X + 600, 4)), (1, Free(X, 5000))], &[[0, 1]]);
    check(&[(0, Write(X, 5000)), (1, Free(X + 16, 20))], &[[0, 1]]);
    check(&[(0, Write(X, 4)), (0, Free(X, 48)), (1, Alloc(X, 48)), (1, Write(X, 4))], &[]);
    check(&[(0, Write(X, 4)), (1, Alloc(X + 8, 48)), (1, Write(X, 4))], &[[0, 2]]);
    let lock = [(0, Write(X, 4)), (0, Lock(LOCK)), (0, Unlock(LOCK))];
    let again = [(1, Alloc(LOCK, 8)), (1, Lock(LOCK)), (1, Write(X, 4))];
    check(&[lock, again].concat(), &[[0, 5]]);
}

#[test]
fn the_rest_of_a_range_of_which_a_part_is_other_memory_is_kept() {
    let begin = [(0, Write(X, 0x400)), (1, Alloc(X + 0x20, 0x40))];
    check(&[&begin[..], &[(1, Read(X + 0x20, 4)), (1, Read(X + 0x5f, 1))]].concat(), &[]);
    check(&[&begin[..], &[(1, Read(X + 0x18, 8))]].concat(), &[[0, 2]]);
    check(&[&begin[..], &[(1, Read(X + 0x60, 1))]].concat(), &[[0, 2]]);
}

/// The same counter wrote all of a block, and later, once more, its last eight bytes.
#[test]
fn the_rest_of_a_range_does_not_hide_what_was_done_later() {
    RACES.with(|races| {
        assert!(races.begin(true));
        let steps = [
            (0, 5, Write(X, 0x200)),
            (0, 6, Post(LOCK)),
            (0, 5, Write(X + 0x1f8, 8)),
            (1, 7, Alloc(X, 8)),
            (1, 8, Take(LOCK)),
            (1, 9, Read(X + 0x1f8, 8)),
        ];
        for (thread, pc, what) in steps {
            tell(races, Event { thread, pc, what }, 0);
        }
        let pcs: Vec<_> = races.found().iter().map(|race| race.pcs).collect();
        assert_eq!(pcs, [[5, 9]]);
    });
}

/// The same pair of counters, first ordered by C11 and then by nothing.
#[test]
fn a_race_by_both_rules_is_told_as_that() {
    let steps = |before: &[(u32, u64, What)]| {
        RACES.with(|races| {
            assert!(races.begin(true));
            let first = [
                (0, 5, Write(X, 4)),
                (0, 6, Store(FLAG, RELEASE)),
                (0, 7, Store(FLAG, RELAXED)),
                (1, 8, Load(FLAG, ACQUIRE)),
                (1, 9, Read(X, 4)),
            ];
            for &(thread, pc, what) in first.iter().chain(before) {
                tell(races, Event { thread, pc, what }, 0);
            }
            let found: Vec<_> = races.found().iter().collect();
            assert_eq!(found.len(), 1);
            (found[0].pcs, found[0].ordered_by_c11)
        })
    };
    assert_eq!(steps(&[]), ([5, 9], 1));
    assert_eq!(steps(&[(0, 5, Write(X, 4)), (1, 9, Read(X, 4))]), ([5, 9], 0));
}

/// The plain write is known already, and still ends what was released in between.
#[test]
fn the_same_write_again_ends_a_release_sequence() {
    RACES.with(|races| {
        assert!(races.begin(true));
        let steps = [
            (1, 5, Write(X, 4)),
            (0, 6, Write(FLAG, 4)),
            (1, 7, Store(FLAG, RELEASE)),
            (0, 6, Write(FLAG, 4)),
            (2, 8, Load(FLAG, ACQUIRE)),
            (2, 9, Read(X, 4)),
        ];
        for (thread, pc, what) in steps {
            tell(races, Event { thread, pc, what }, 0);
        }
        let pcs: Vec<_> = races.found().iter().map(|race| race.pcs).collect();
        assert_eq!(pcs, [[6, 7], [6, 8], [5, 9]]);
    });
}
