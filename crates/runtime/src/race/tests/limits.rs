//! What happens when there is no room.

use raddle_wire::{Code, Record};

use crate::race::Races;

fn begin() -> Races {
    let races = Races::new();
    assert!(races.begin(true));
    races
}

fn write(races: &Races, thread: u32, address: u64, pc: u64) {
    races.observe(thread, Record::new(Code::Write, address, 8, pc, 0), 0);
}

#[test]
fn memory_without_room_is_forgotten_and_counted_until_the_next_execution() {
    let races = begin();
    const N: u64 = (1 << 16) + 7;
    (0..N).for_each(|block| write(&races, 0, block * 512, 1));
    assert_eq!(races.n_forgotten(), 7);
    write(&races, 1, 0, 2);
    write(&races, 1, (N - 1) * 512, 3);
    assert_eq!(races.found().iter().map(|race| race.pcs).collect::<std::vec::Vec<_>>(), [[1, 2]]);
    assert_eq!(races.n_forgotten(), 8);
    races.reset();
    write(&races, 0, (N - 1) * 512, 1);
    write(&races, 1, (N - 1) * 512, 2);
    assert_eq!((races.found().len(), races.n_forgotten()), (1, 0));
}

#[test]
fn accesses_at_very_many_places_are_forgotten_and_counted() {
    let races = begin();
    (0..1_000).for_each(|pc| (0..1_000).for_each(|granule| write(&races, 0, granule * 8, pc)));
    // Three in each of the lines of granules, and in each line behind them.
    assert_eq!(races.n_forgotten(), 1_000_000 - 3 * (1_000 + (1 << 18)));
}

#[test]
fn what_is_given_back_and_out_again_needs_no_more_room() {
    let races = begin();
    for step in 0..400_000 {
        (0..4).for_each(|pc| write(&races, 0, 0x1000, pc));
        races.observe(0, Record::counted(Code::WriteRange, 0x1000, 1024, 9), 0);
        match step % 2 {
            0 => races.freed(0, 0x1000..0x1400, 8, 0),
            _ => races.forget(0..1 << 40),
        }
    }
    assert_eq!((races.found().len(), races.n_forgotten()), (0, 0));
}

#[test]
fn who_does_not_know_who_is_ordered_says_nothing() {
    let races = begin();
    let lock = |thread, code| races.observe(thread, Record::new(code, 0x2000, 0, 0, 0), 0);
    lock(0, Code::Lock);
    write(&races, 0, 0x1000, 1);
    (0..1 << 18)
        .for_each(|n| races.observe(0, Record::new(Code::Post, n * 8 + (1 << 30), 0, 0, 0), 0));
    lock(0, Code::Unlock);
    lock(1, Code::Lock);
    write(&races, 1, 0x1000, 2);
    assert_eq!((races.found().len(), races.n_forgotten()), (0, 1));
}

#[test]
fn threads_one_after_the_other_need_the_room_of_one() {
    let races = begin();
    let by_main =
        |code, thread: u32| races.observe(0, Record::new(code, thread.into(), 0, 0, 0), 0);
    for thread in 1..=1 << 14 {
        by_main(Code::Fork, thread);
        write(&races, thread, 0x1000, 1);
        by_main(Code::Join, thread);
    }
    assert_eq!((races.found().len(), races.n_forgotten()), (0, 0));
    write(&races, 1 << 16, 0x1000, 2);
    assert_eq!(races.n_forgotten(), 1, "there is no room for such a thread");
}

#[test]
fn no_more_than_the_first_races_are_kept() {
    let races = begin();
    for pc in 0..300 {
        write(&races, 0, 0x1000 + pc * 8, 2 * pc);
        write(&races, 1, 0x1000 + pc * 8, 2 * pc + 1);
    }
    assert_eq!(races.found().len(), 256);
    assert!((0..).step_by(2).zip(races.found()).all(|(pc, race)| race.pcs == [pc, pc + 1]));
}

#[test]
fn one_that_is_off_finds_nothing() {
    let races = Races::new();
    write(&races, 0, 0x1000, 1);
    write(&races, 1, 0x1000, 2);
    races.reset();
    assert_eq!((races.is_on(), races.found().len(), races.n_forgotten()), (false, 0, 0));
}
