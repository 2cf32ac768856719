//! Waiting for the end of a child, with the clock, its output and interrupts in view.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::passing::Passing;
use super::{LaunchError, child, system};

/// How often interrupts are looked for.
const TICK: Duration = Duration::from_millis(50);

/// More output than this is read and thrown away.
const MAX_OUTPUT: usize = 16 << 20;

/// How a child ended.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) output: Option<(Vec<u8>, Vec<u8>)>,
    pub(super) timed_out: bool,
    pub(super) interrupted: bool,
    /// The signal that was passed on to it.
    pub(super) passed: Option<i32>,
}

impl Ended {
    /// Of a child that was not waited for with a clock, and whose output is not kept.
    pub(super) fn by_itself(status: ExitStatus) -> Ended {
        Ended { status, output: None, timed_out: false, interrupted: false, passed: None }
    }
}

/// Waits until a child has ended, or ends it.
pub(super) fn until_end(
    mut child: Child,
    timeout: Option<Duration>,
    interrupted: &AtomicBool,
    passing: Option<&Passing>,
) -> Result<Ended, LaunchError> {
    let result = watch(&mut child, timeout, interrupted, passing);
    if result.is_err() {
        // Nothing looks after it any more; the error that led here is the one to report.
        let _ = child::kill(&mut child);
        let _ = child.wait();
    }
    result
}

fn watch(
    child: &mut Child,
    timeout: Option<Duration>,
    interrupted: &AtomicBool,
    passing: Option<&Passing>,
) -> Result<Ended, LaunchError> {
    let end = descriptor_of(child).map_err(system("watch the program"))?;
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let pipes = child.stdout.take().zip(child.stderr.take());
    let mut pipes = pipes.map(|(out, err)| [Pipe::new(out.into()), Pipe::new(err.into())]);
    let mut pipes_or_none = pipes.as_mut().map_or(&mut [][..], |pipes| &mut pipes[..]);
    let (mut timed_out, mut was_interrupted, mut passed) = (false, false, None);
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let wait = left.map_or(TICK, |left| left.min(TICK));
        if poll(&end, pipes_or_none, wait).map_err(system("wait for the program"))? {
            break;
        }
        timed_out |= left.is_some_and(|left| left.is_zero());
        was_interrupted |= interrupted.load(Ordering::Relaxed);
        if let Some(passing) = passing
            && let Some((signal, has_it)) = passing.take()
        {
            was_interrupted |= passed.is_some();
            if passed.replace(signal).is_none() {
                (passing.on_passed)(signal);
                if !has_it {
                    Passing::send(child.id(), signal).map_err(system("signal the program"))?;
                }
            }
        }
        if timed_out || was_interrupted {
            child::kill(child)?;
            break;
        }
    }
    let status = child.wait().map_err(system("wait for the program"))?;
    // What is in the pipes by now is its output; a process it left behind may hold them open.
    pipes_or_none = pipes.as_mut().map_or(&mut [][..], |pipes| &mut pipes[..]);
    pipes_or_none.iter_mut().for_each(Pipe::drain);
    let output = pipes.map(|[out, err]| (out.bytes, err.bytes));
    Ok(Ended { status, output, timed_out, interrupted: was_interrupted, passed })
}

/// One end of a pipe, and what came out of it.
struct Pipe {
    /// Nothing when the other end was closed.
    file: Option<File>,
    bytes: Vec<u8>,
}

impl Pipe {
    fn new(descriptor: OwnedFd) -> Pipe {
        let file = File::from(descriptor);
        // SAFETY: system calls on a descriptor that is ours.
        unsafe {
            let flags = libc::fcntl(file.as_raw_fd(), libc::F_GETFL);
            libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK);
        }
        Pipe { file: Some(file), bytes: Vec::new() }
    }

    /// Takes what there is.
    fn drain(&mut self) {
        let mut buffer = [0; 1 << 16];
        while let Some(file) = &mut self.file {
            match file.read(&mut buffer) {
                Ok(0) => self.file = None,
                Ok(n) => {
                    let room = MAX_OUTPUT - self.bytes.len();
                    self.bytes.extend_from_slice(&buffer[..n.min(room)]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.file = None,
            }
        }
    }
}

/// Waits for the end of the child or for output, which is taken; true at the end.
fn poll(end: &OwnedFd, pipes: &mut [Pipe], wait: Duration) -> io::Result<bool> {
    let entry = |fd: RawFd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // A negative descriptor is ignored.
    let descriptor = |pipe: Option<&Pipe>| {
        pipe.and_then(|pipe| pipe.file.as_ref()).map_or(-1, |file| file.as_raw_fd())
    };
    let mut entries =
        [entry(end.as_raw_fd()), entry(descriptor(pipes.first())), entry(descriptor(pipes.get(1)))];
    let milliseconds = wait.as_micros().div_ceil(1000) as libc::c_int;
    // SAFETY: the entries are valid for the duration of the call.
    let n = unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as _, milliseconds) };
    if n == -1 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted { Ok(false) } else { Err(error) };
    }
    for (pipe, entry) in pipes.iter_mut().zip(&entries[1..]) {
        if entry.revents != 0 {
            pipe.drain();
        }
    }
    Ok(entries[0].revents != 0)
}

/// A descriptor that can be read when the child has ended.
fn descriptor_of(child: &Child) -> io::Result<OwnedFd> {
    // SAFETY: the child was not waited for, so the number is still its own; the descriptor that
    // comes back belongs to nobody else.
    unsafe {
        match libc::syscall(libc::SYS_pidfd_open, child.id() as libc::pid_t, 0) {
            -1 => Err(io::Error::last_os_error()),
            descriptor => Ok(OwnedFd::from_raw_fd(descriptor as RawFd)),
        }
    }
}
