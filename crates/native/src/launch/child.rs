//! The child: a process that finds the runtime, the control memory and the recording.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};

use raddle_wire::{CONTROL_FD, ENVIRONMENT, Flags, RECORDING_FD, Threading, VERSION};

use super::control::Shared;
use super::{LaunchError, Request, system};
use crate::target::{Output, Stdin, Target};

/// Starts the target.
pub(super) fn start(
    target: &Target,
    request: &Request<'_>,
    runtime: &Path,
    control: &Shared,
    recording: Option<&File>,
) -> Result<Child, LaunchError> {
    let mut command = match request.debugger {
        true => debugger(target),
        false => Command::new(&target.program),
    };
    if let (Some(name), false) = (&target.invoked_as, request.debugger) {
        command.arg0(name);
    }
    command.args(&target.arguments);
    if let Some(directory) = &target.directory {
        command.current_dir(directory);
    }
    for (name, value) in &target.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let folder = runtime.parent().unwrap_or(Path::new("."));
    command.env(ENVIRONMENT, VERSION.to_string());
    if request.threading != Threading::Parallel {
        // Looking up names after a panic takes a thousand times as long as a small program. The same
        // in every run, or schedules of one would not fit another.
        command.env("RUST_BACKTRACE", "0");
    }
    if request.explore {
        // Otherwise functions are looked up again in every run.
        command.env("LD_BIND_NOW", "1");
    }
    prepend(&mut command, target, "LD_LIBRARY_PATH", folder.as_os_str());
    if request.preload {
        prepend(&mut command, target, "LD_PRELOAD", runtime.as_os_str());
    }
    redirect(&mut command, target)?;
    let setup = Setup {
        parent: std::process::id(),
        control: control.descriptor(),
        recording: recording.map(File::as_raw_fd),
        flags: control.flags(),
    };
    // SAFETY: `Setup::run` only makes system calls and writes to shared memory, which is allowed
    // between fork and exec.
    unsafe { command.pre_exec(move || setup.run()) };
    let spawned = if request.explore { spawn_for_long(command) } else { command.spawn() };
    spawned.map_err(|source| match source.raw_os_error() {
        Some(libc::EBADF) => LaunchError::System { what: RAISE, source },
        _ => LaunchError::File { path: target.program.clone(), source },
    })
}

/// Starts a child that may outlive the thread that asks for it. A child dies with the *thread* that
/// started it, so that thread must last as long as this process.
fn spawn_for_long(command: Command) -> io::Result<Child> {
    type Job = (Command, Sender<io::Result<Child>>);
    static SPAWNER: OnceLock<Sender<Job>> = OnceLock::new();
    let spawner = SPAWNER.get_or_init(|| {
        let (jobs, todo) = channel::<Job>();
        std::thread::spawn(move || {
            for (mut command, back) in todo {
                // Who asked may be gone.
                let _ = back.send(command.spawn());
            }
        });
        jobs
    });
    let (back, child) = channel();
    let gone = || io::Error::other("the thread that starts programs is gone");
    spawner.send((command, back)).map_err(|_| gone())?;
    child.recv().map_err(|_| gone())?
}

/// The debugger, with the program as its last argument but for the program's own.
fn debugger(target: &Target) -> Command {
    let mut command = Command::new(super::DEBUGGER);
    // System calls are caught by a signal that is of no interest; a shell in between would be taken
    // for the target. Steps go over the runtime.
    let settings = [
        "set startup-with-shell off",
        "handle SIGSYS nostop noprint pass",
        "skip -gfile */runtime/src/*.rs",
        "skip -gfile */runtime/src/*/*.rs",
    ];
    for setting in settings {
        command.arg("-iex").arg(setting);
    }
    command.arg("-q").arg("--args").arg(&target.program);
    command
}

/// What to do about the most likely reason why a descriptor cannot be given to a child.
const RAISE: &str = "give the program its descriptors (make sure that `ulimit -n` is at least \
                     1024)";

/// What happens in the child before it becomes the target.
#[derive(Clone, Copy)]
struct Setup {
    parent: u32,
    control: RawFd,
    recording: Option<RawFd>,
    /// Where the flags of the control memory are.
    flags: usize,
}

impl Setup {
    fn run(self) -> io::Result<()> {
        // SAFETY: plain system calls on values that were made before the fork.
        unsafe {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) == -1 {
                return Err(io::Error::last_os_error());
            }
            // The parent may be gone already, and then that signal would never come.
            if libc::getppid() as u32 != self.parent {
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
        }
        if !fix_addresses() {
            // SAFETY: the memory is shared and was mapped before the fork, so it is there in the
            // child, too; it is aligned, and no other thread looks at it yet.
            let flags = unsafe { AtomicU32::from_ptr(self.flags as *mut u32) };
            flags.fetch_and(!Flags::FIXED_ADDRESSES, Ordering::Relaxed);
        }
        hand_over(self.control, CONTROL_FD)?;
        self.recording.map_or(Ok(()), |recording| hand_over(recording, RECORDING_FD))
    }
}

/// Lets what this process becomes have the same addresses in every run; some sandboxes do not.
fn fix_addresses() -> bool {
    // SAFETY: the first call asks and changes nothing, the second one adds a bit.
    unsafe {
        let now = libc::personality(0xffff_ffff);
        let fixed = now as libc::c_ulong | libc::ADDR_NO_RANDOMIZE as libc::c_ulong;
        now != -1 && libc::personality(fixed) != -1
    }
}

/// Lets a descriptor have a number that survives the exec.
fn hand_over(from: RawFd, to: RawFd) -> io::Result<()> {
    // SAFETY: system calls on descriptors that are ours. `dup2` onto itself keeps the flag that
    // closes a descriptor, so that flag is taken away in that case.
    let result = unsafe {
        match from == to {
            true => libc::fcntl(to, libc::F_SETFD, 0),
            false => libc::dup2(from, to),
        }
    };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Puts an entry before what a variable of the target's environment has.
fn prepend(command: &mut Command, target: &Target, name: &str, entry: &OsStr) {
    let own = target.environment.iter().rev().find(|(changed, _)| changed == name);
    let before = match own {
        Some((_, value)) => value.clone(),
        None => std::env::var_os(name),
    };
    let mut value: OsString = entry.to_owned();
    if let Some(before) = before.filter(|before| !before.is_empty()) {
        value.push(":");
        value.push(before);
    }
    command.env(name, value);
}

fn redirect(command: &mut Command, target: &Target) -> Result<(), LaunchError> {
    match &target.stdin {
        Stdin::Closed => command.stdin(Stdio::null()),
        Stdin::Inherit => command.stdin(Stdio::inherit()),
        Stdin::File(path) => {
            let file = File::open(path);
            let failed = |source| LaunchError::File { path: path.clone(), source };
            command.stdin(file.map_err(failed)?)
        }
    };
    match target.output {
        Output::Inherit => {}
        Output::Capture => {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
        }
        Output::Discard => {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
    }
    Ok(())
}

/// Ends a child and the processes that it started, as far as they are still its own.
pub(super) fn kill(child: &mut Child) -> Result<(), LaunchError> {
    let descendants = descendants(child.id());
    child.kill().map_err(system("end the program"))?;
    for process in descendants {
        // SAFETY: sends a signal. A number that was given to a new process in the meantime is
        // possible in theory only: numbers are used again after all others were.
        unsafe { libc::kill(process as libc::pid_t, libc::SIGKILL) };
    }
    Ok(())
}

/// The processes below one, by number.
fn descendants(root: u32) -> Vec<u32> {
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        match children(parent) {
            Ok(children) => found.extend(children),
            // Not every kernel lists them.
            Err(_) => return descendants_of_all(root),
        }
        next += 1;
    }
    found.split_off(1)
}

/// The processes that the threads of one have started; none if it is gone.
fn children(process: u32) -> io::Result<Vec<u32>> {
    let mut all = Vec::new();
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Ok(all) };
    for thread in threads.flatten() {
        match std::fs::read_to_string(thread.path().join("children")) {
            Ok(list) => all.extend(list.split(' ').filter_map(|number| number.parse::<u32>().ok())),
            // The thread has ended meanwhile.
            Err(_) if !thread.path().exists() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

/// The same, from what every process on the machine says of its parent.
fn descendants_of_all(root: u32) -> Vec<u32> {
    let mut parents = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let process = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        let stat = process.and_then(|_| std::fs::read_to_string(entry.path().join("stat")).ok());
        // The name in parentheses may contain anything; state and parent come behind it.
        let parent = stat.as_ref().and_then(|stat| stat.rsplit_once(") "));
        let parent = parent.and_then(|(_, rest)| rest.split(' ').nth(1)?.parse::<u32>().ok());
        parents.extend(process.zip(parent));
    }
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process));
        next += 1;
    }
    found.split_off(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_those_that_every_process_names() {
        let mut shell = Command::new("sh");
        let mut shell = shell.args(["-c", "sleep 100 & sh -c 'sleep 100; :' & echo; wait"]);
        shell = shell.stdout(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        let mut line = [0];
        std::io::Read::read_exact(&mut shell.stdout.take().unwrap(), &mut line).unwrap();
        // The inner shell may not have started its own yet.
        let sorted = |mut all: Vec<u32>| {
            all.sort_unstable();
            all
        };
        let both = loop {
            let both = [descendants(shell.id()), descendants_of_all(shell.id())].map(sorted);
            if both.iter().all(|all| all.len() == 3) {
                break both;
            }
            std::thread::yield_now();
        };
        assert_eq!(both[0], both[1]);
        kill(&mut shell).unwrap();
        shell.wait().unwrap();
        let alive = |process: &u32| Path::new(&format!("/proc/{process}/fd/0")).exists();
        while both[0].iter().any(alive) {
            std::thread::yield_now();
        }
    }
}
