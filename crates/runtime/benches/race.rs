//! What the detector of data races takes for an access, in nanoseconds of the processor.

use std::hint::black_box;

use cpu_time::ProcessTime;
use raddle_runtime::race::Races;
use raddle_wire::{Code, Record};

const N: u64 = 20_000_000;

fn main() {
    let races = Races::new();
    assert!(races.begin(true), "there is memory for the tables");
    for (name, case) in CASES {
        races.reset();
        case(&races, N / 20);
        let start = ProcessTime::now();
        case(&races, N);
        let each = start.elapsed().as_secs_f64() * 1e9 / N as f64;
        println!("{name:<44} {each:>7.1} ns");
        assert_eq!(races.n_forgotten(), 0);
    }
}

type Case = fn(&Races, u64);

const CASES: [(&str, Case); 8] = [
    ("the same access again", again),
    ("writes in turn to 4 KiB, one thread", |races, n| sweep(races, n, 1 << 12)),
    ("writes in turn to 1 MiB, one thread", |races, n| sweep(races, n, 1 << 20)),
    ("read by four threads", shared),
    ("a counter under a lock, two threads (each step)", locked),
    ("two threads that race", racing),
    ("an atomic update, two threads", atomic),
    ("an execution of 20 accesses (each)", executions),
];

fn access(races: &Races, thread: u32, code: Code, address: u64, pc: u64) {
    races.observe(thread, black_box(Record::new(code, address, 8, pc, 0)), 0);
}

fn event(races: &Races, thread: u32, code: Code, object: u64, extra: u16) {
    races.observe(thread, black_box(Record::new(code, object, 0, 0, extra)), 0);
}

fn again(races: &Races, n: u64) {
    (0..n).for_each(|_| access(races, 0, Code::Write, 0x1000, 0x40));
}

fn sweep(races: &Races, n: u64, len: u64) {
    (0..n).for_each(|i| access(races, 0, Code::Write, 0x10_0000 + i * 8 % len, 0x40));
}

fn shared(races: &Races, n: u64) {
    (0..n).for_each(|i| access(races, i as u32 % 4, Code::Read, 0x1000 + i / 4 * 8 % 4096, 0x40));
}

fn locked(races: &Races, n: u64) {
    for i in 0..n / 4 {
        let thread = i as u32 % 2;
        event(races, thread, Code::Lock, 0x2000, 0);
        access(races, thread, Code::Read, 0x1000, 0x40);
        access(races, thread, Code::Write, 0x1000, 0x44);
        event(races, thread, Code::Unlock, 0x2000, 0);
    }
}

fn racing(races: &Races, n: u64) {
    for i in 0..n {
        let thread = i as u32 % 2;
        // A time of its own for each, so that none has been seen before.
        event(races, thread, Code::Post, 0x3000 + 64 * u64::from(thread), 0);
        access(races, thread, Code::Write, 0x1000, 0x40);
    }
}

fn atomic(races: &Races, n: u64) {
    const ACQUIRE_RELEASE: u16 = 4;
    for i in 0..n {
        let record = Record::new(Code::AtomicUpdate, 0x1000, 8, 0x40, ACQUIRE_RELEASE);
        races.observe(i as u32 % 2, black_box(record), 0);
    }
}

fn executions(races: &Races, n: u64) {
    for _ in 0..n / 20 {
        races.reset();
        event(races, 0, Code::Fork, 1, 0);
        for i in 0..20 {
            access(races, i as u32 % 2, Code::Read, 0x1000 + i * 8, 0x40 + i);
        }
        event(races, 0, Code::Join, 1, 0);
    }
}
