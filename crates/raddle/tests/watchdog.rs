//! Something that blocks for real ends the process, with the last place that was reached.

use std::process::Command;
use std::time::Duration;

use raddle::{Config, thread};

const HANGS: &str = "RADDLE_TEST_HANGS";

#[test]
fn a_real_lock_is_noticed() {
    if std::env::var_os(HANGS).is_some() {
        return hang();
    }
    let program = std::env::current_exe().unwrap();
    let child = Command::new(program)
        .args(["--exact", "watchdog::a_real_lock_is_noticed", "--nocapture"])
        .env(HANGS, "1")
        .output()
        .unwrap();
    assert!(!child.status.success());
    let text = String::from_utf8(child.stderr).unwrap();
    assert!(text.contains("no thread has reached a scheduling point for 200ms"), "{text}");
    assert!(text.contains("tests/watchdog.rs:"), "{text}");
}

/// Both threads hold the real lock across a point.
fn hang() {
    let mutex = std::sync::Arc::new(std::sync::Mutex::new(()));
    Config::new().hang(Duration::from_millis(200)).explore(move || {
        let other = mutex.clone();
        let thread = thread::spawn(move || {
            let _guard = other.lock().unwrap();
            thread::yield_now();
        });
        let guard = mutex.lock().unwrap();
        thread::yield_now();
        drop(guard);
        thread.join().unwrap();
    });
}
