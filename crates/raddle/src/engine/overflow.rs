//! Stack overflows of threads under control: reported before the process ends.
//!
//! In: faults of the process. Out: a message, if the address is in the page below the stack of a
//! thread of the world that is entered; any other fault goes to the handler that was there before. `std` reports
//! overflows of its own threads only, and a thread here is a coroutine on another stack.

use std::ffi::c_void;
use std::fmt::Write;
use std::mem;
use std::sync::{Once, OnceLock};

use crate::world::Here;

/// The handlers that were there before: for `SIGSEGV` and `SIGBUS`.
static BEFORE: OnceLock<[libc::sigaction; 2]> = OnceLock::new();

const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// The size of the page that must not be touched.
const GUARD: usize = 4096;

/// Looks at faults before any other handler does, once in a process.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut action = none();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        let before = SIGNALS.map(|signal| {
            let mut before = none();
            // SAFETY: both point to actions. The handler does what a handler may: it reads, and
            // writes to a file descriptor.
            unsafe { libc::sigaction(signal, &raw const action, &raw mut before) };
            before
        });
        // Only this function sets it.
        let _ = BEFORE.set(before);
    });
}

fn none() -> libc::sigaction {
    // SAFETY: an action is numbers; zeroes mean what happens by default.
    unsafe { mem::zeroed() }
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system gives a description of the fault.
    let address = unsafe { (*info).si_addr() } as usize;
    if let Some(here) = Here::find() {
        here.with(|world| {
            let mut stacks = world.fibers.stacks();
            if let Some((_, size)) = stacks.find(|it| (it.0..it.0 + GUARD).contains(&address)) {
                // SAFETY: the place is none or was made from a reference to a static place.
                let site =
                    unsafe { world.beat.site.load(std::sync::atomic::Ordering::Relaxed).as_ref() };
                tell(world.current, size, site);
            }
        });
    }
    pass_on(signal, info, context);
}

/// Ends the process with a message; no memory is allocated for it.
fn tell(thread: u32, size: usize, site: Option<&std::panic::Location<'_>>) -> ! {
    let mut text = Text { bytes: [0; 1024], n: 0 };
    let _ = write!(
        text,
        "raddle: thread {thread} of the test has overflowed its stack of {} KiB",
        size >> 10
    );
    if let Some(site) = site {
        let _ = write!(text, "; its last point was at {site}");
    }
    let _ = text.write_str(". Use Config::stack_size to make it larger\n");
    // SAFETY: so many bytes are there.
    unsafe { libc::write(libc::STDERR_FILENO, text.bytes.as_ptr().cast(), text.n) };
    std::process::abort();
}

/// Lets who was there before handle the fault.
fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let index = usize::from(signal == SIGNALS[1]);
    let before = BEFORE.get().map_or_else(none, |before| before[index]);
    let has_handler = ![libc::SIG_DFL, libc::SIG_IGN].contains(&before.sa_sigaction);
    if has_handler && before.sa_flags & libc::SA_SIGINFO != 0 {
        type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut c_void);
        // SAFETY: the code that set this flag set such a function.
        let handler = unsafe { mem::transmute::<usize, Handler>(before.sa_sigaction) };
        return handler(signal, info, context);
    }
    // SAFETY: the action is one that the system gave; the fault comes again, and meets it.
    unsafe { libc::sigaction(signal, &raw const before, std::ptr::null_mut()) };
}

/// Text of a limited length.
struct Text {
    bytes: [u8; 1024],
    n: usize,
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let n = text.len().min(self.bytes.len() - self.n);
        self.bytes[self.n..self.n + n].copy_from_slice(&text.as_bytes()[..n]);
        self.n += n;
        Ok(())
    }
}
