//! A trial: whether a compiler's programs really run under control here.
//!
//! In: a compiler. Out: what a run of a small program with two threads showed, or the step that
//! went wrong. Everything is as it is for users: the same call of the compiler, the same launch.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use raddle_wire::OutcomeKind;
use thiserror::Error;

use crate::compiler::{Compiler, CompilerError, Language};
use crate::install::Installation;
use crate::launch::{self, Answer, Counts, LaunchError, Request};
use crate::target::{Output, Target, TargetError};

/// What a compiler is tried with: both threads have to wait for each other to end with 0.
const PROGRAM: &str = r#"
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;
static void *play(void *own) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&mutex);
        while (turn % 2 != (own != 0)) pthread_cond_wait(&changed, &mutex);
        turn++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, play, i ? &turn : 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return turn == 6 ? 0 : 1;
}
"#;

/// The run takes milliseconds.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The step of a trial that went wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrialError {
    /// No place for the program.
    #[error("cannot write the test program")]
    Write(#[source] io::Error),
    /// The compiler cannot be called.
    #[error(transparent)]
    Compiler(#[from] CompilerError),
    /// The compiler did not make a program.
    #[error("the test program does not compile: {0}")]
    Compile(String),
    /// There is no program.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The program was not under control.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The program did not do what it does.
    #[error("the test program did not end as expected: {0}")]
    Wrong(String),
}

/// Compiles a program, runs it under control in the folder given, and says how much happened.
pub fn run(
    compiler: &OsStr,
    language: Language,
    runtime: &Installation,
    folder: &Path,
) -> Result<Counts, TrialError> {
    let program = compile(compiler, language, runtime, folder)?;
    let mut target = Target::new(program.as_os_str())?;
    target.output = Output::Capture;
    let request = Request { timeout: Some(TIMEOUT), ..Request::default() };
    let answer = launch::run(&target, &request, &runtime.runtime(), &AtomicBool::new(false))?;
    judge(&answer)
}

fn compile(
    compiler: &OsStr,
    language: Language,
    runtime: &Installation,
    folder: &Path,
) -> Result<PathBuf, TrialError> {
    let suffix = match language {
        Language::C => "c",
        Language::Cpp => "cpp",
    };
    let (source, program) = (folder.join("trial").with_extension(suffix), folder.join("trial"));
    fs::write(&source, PROGRAM).map_err(TrialError::Write)?;
    let arguments: [OsString; 4] =
        ["-pthread".into(), source.into(), "-o".into(), program.clone().into()];
    let mut command = Compiler::named(compiler)?.command(&arguments, runtime.directory())?;
    let output = command.stdin(Stdio::null()).output().map_err(TrialError::Write)?;
    if output.status.success() {
        return Ok(program);
    }
    Err(TrialError::Compile(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

/// A run that was not controlled, or not observed, is no success.
fn judge(answer: &Answer) -> Result<Counts, TrialError> {
    let Counts { accesses, threads, .. } = answer.counts;
    let wrong = |what: String| Err(TrialError::Wrong(what));
    match answer.outcome {
        _ if answer.timed_out => wrong("it did not end".into()),
        OutcomeKind::Exited if answer.exit.code != 0 => {
            wrong(format!("its status is {}", answer.exit.code))
        }
        OutcomeKind::Exited if threads != 3 || accesses == 0 => {
            wrong(format!("{threads} threads and {accesses} accesses were seen"))
        }
        OutcomeKind::Exited => Ok(answer.counts),
        outcome => wrong(format!("{outcome:?} {}", answer.message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_that_works_passes_and_one_that_does_not_fails_at_its_step() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Installation::below(&folder.path().join("cache")).unwrap();
        let run = |name: &str| run(OsStr::new(name), Language::C, &runtime, folder.path());
        let counts = run("cc").unwrap();
        assert!(counts.accesses > 0 && counts.threads == 3 && counts.switches > 2, "{counts:?}");
        assert!(matches!(run("no-such-compiler"), Err(TrialError::Compiler(_))));
        // It has a version and makes nothing.
        assert!(matches!(run("ls"), Err(TrialError::Compile(_))));
    }
}
