//! How runs end, in words: the same ones for every engine.

use raddle_explore::Failure;
use raddle_report::quantity::counted;

/// What happened before a failure that may have led to it, though the program went on.
pub fn after(misuse: &Failure) -> String {
    let place = misuse.places.first().map_or(String::new(), |place| format!(" at {place}"));
    format!("after a misuse: {}{place}", misuse.message)
}

/// The headline of a deadlock.
pub fn deadlock(n_threads: usize) -> String {
    let are = if n_threads == 1 { "is" } else { "are" };
    format!("{} {are} blocked forever", counted(n_threads, "thread"))
}

/// A deadlock in one line: why its threads do not go on.
pub fn deadlocked(why: &[String]) -> String {
    why.join("; ")
}

/// Where a thread did what it must not.
pub fn fault(function: Option<&str>, place: &str, thread: &str) -> String {
    let within = function.map_or_else(String::new, |function| format!("in {function} "));
    // One without a name is called `thread 1`.
    let is_noun = thread.strip_prefix("thread ").is_some_and(|n| n.parse::<u32>().is_ok());
    let noun = if is_noun { "" } else { "thread " };
    format!("{within}at {place}, {noun}{thread}")
}

/// Which thread waits for what, and where. If a thread has that, `awaited` ends with its name.
pub fn waits(thread: &str, awaited: &str, is_held: bool, place: &str) -> String {
    let comma = if is_held { "," } else { "" };
    format!("{thread} waits for {awaited}{comma} at {place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_called_one_once() {
        assert_eq!(fault(None, "a.rs:7", "thread 1"), "at a.rs:7, thread 1");
        assert_eq!(fault(None, "a.rs:7", "thread pool"), "at a.rs:7, thread thread pool");
        assert_eq!(fault(Some("work"), "a.c:7", "work#1"), "in work at a.c:7, thread work#1");
    }
    #[test]
    fn a_deadlock_is_of_one_thread_or_of_many() {
        for (n, text) in [(1, "1 thread is blocked forever"), (2, "2 threads are blocked forever")]
        {
            assert_eq!(deadlock(n), text);
        }
        assert_eq!(deadlocked(&[]), "");
        assert_eq!(deadlocked(&["a waits".to_owned(), "b waits".to_owned()]), "a waits; b waits");
    }

    #[test]
    fn a_comma_stands_before_the_place_of_who_waits_for_what_another_holds() {
        let held = waits("t1", "lock a, held by t2", true, "a.c:3");
        assert_eq!(held, "t1 waits for lock a, held by t2, at a.c:3");
        assert_eq!(waits("t1", "lock a", false, "a.c:3"), "t1 waits for lock a at a.c:3");
    }

    #[test]
    fn a_misuse_that_went_before_is_said_with_its_first_place() {
        let misuse = |places: &[&str]| {
            let places = places.iter().map(|&place| place.into());
            Failure::new(raddle_explore::FailureKind::Misuse, places, "a is not locked")
        };
        assert_eq!(after(&misuse(&[])), "after a misuse: a is not locked");
        let two = misuse(&["a.c:1", "a.c:2"]);
        assert_eq!(after(&two), "after a misuse: a is not locked at a.c:1");
    }
}
