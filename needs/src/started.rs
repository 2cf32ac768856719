//! Processes that end with the test that started them.
//!
//! In: a command. Out: its process, which is killed and waited for when it goes out of scope; so a test that fails leaves
//! nothing behind that runs on, holds files open, or writes until the disk is full.

use std::ops::{Deref, DerefMut};
use std::process::{Child, Command, Output};

/// A process that does not outlive this value.
#[derive(Debug)]
pub struct Started(Option<Child>);

/// Starts a command.
///
/// # Panics
///
/// If it cannot be started.
#[track_caller]
pub fn start(command: &mut Command) -> Started {
    match command.spawn() {
        Ok(child) => Started(Some(child)),
        Err(error) => panic!("{command:?}: {error}"),
    }
}

impl Started {
    /// Waits for the end, and reads what the process prints meanwhile.
    ///
    /// # Panics
    ///
    /// If that cannot be read.
    #[track_caller]
    pub fn output(mut self) -> Output {
        let child = self.0.take().expect("it is taken here only");
        child.wait_with_output().expect("pipes of a child can be read")
    }
}

impl Deref for Started {
    type Target = Child;

    fn deref(&self) -> &Child {
        self.0.as_ref().expect("it is taken at the end only")
    }
}

impl DerefMut for Started {
    fn deref_mut(&mut self) -> &mut Child {
        self.0.as_mut().expect("it is taken at the end only")
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // Both fail only if it has ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::path::Path;

    use super::*;

    fn sleeper() -> Started {
        start(Command::new("sleep").arg("1000"))
    }

    /// Whether a process is there, even if only because it was not waited for.
    fn is_there(number: u32) -> bool {
        Path::new(&format!("/proc/{number}")).exists()
    }

    #[test]
    fn a_process_ends_with_its_test() {
        let mut number = 0;
        let failed = catch_unwind(AssertUnwindSafe(|| {
            let sleeper = sleeper();
            number = sleeper.id();
            assert!(!is_there(number), "it runs");
        }));
        assert!(failed.is_err());
        assert!(!is_there(number));
    }

    #[test]
    fn a_process_that_has_ended_can_be_dropped() {
        let mut sleeper = sleeper();
        sleeper.kill().unwrap();
        assert!(!sleeper.wait().unwrap().success());
    }

    #[test]
    fn the_output_is_that_of_the_process() {
        let mut echo = Command::new("echo");
        let started = start(echo.arg("here").stdout(std::process::Stdio::piped()));
        assert_eq!(started.output().stdout, b"here\n");
    }
}
