//! The system: whether it has what running programs under control needs.
//!
//! Each question is put to the system itself, by trying; nothing that is tried stays in force.

use std::io;
use std::process::Command;

/// `PR_SET_SYSCALL_USER_DISPATCH` and `PR_SYS_DISPATCH_OFF` of Linux.
const SET_DISPATCH: libc::c_int = 59;
const DISPATCH_OFF: libc::c_ulong = 0;
/// Bit of `AT_HWCAP2`: programs may set the base of thread-local memory themselves.
const HWCAP2_FSGSBASE: libc::c_ulong = 2;
/// Address space that the runtime asks for at most; memory is used only where it is touched.
const RESERVED_BYTES: usize = 1 << 43;

/// Makes writing beyond the limit of the length of files (`ulimit -f`) an error like any other, and
/// not the end of this process. What this process starts does as it always would.
pub fn make_file_limit_an_error() {
    extern "C" fn nothing(_: libc::c_int) {}
    let handler = nothing as extern "C" fn(libc::c_int);
    // SAFETY: the handler does nothing, so it may run at any moment. One that is not there after an
    // `exec` becomes the default again, unlike a signal that is ignored.
    unsafe { libc::signal(libc::SIGXFSZ, handler as libc::sighandler_t) };
}

/// Whether this is a machine and a system that the runtime was made for.
pub fn is_supported() -> bool {
    cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))
}

/// The release of the kernel.
pub fn kernel() -> io::Result<String> {
    let text = std::fs::read_to_string("/proc/sys/kernel/osrelease")?;
    Ok(text.trim().to_owned())
}

/// Whether system calls can be caught (Syscall User Dispatch).
pub fn catches_system_calls() -> io::Result<()> {
    // SAFETY: turns off what is off already; a kernel that does not know it answers with an error.
    let answer = unsafe { libc::prctl(SET_DISPATCH, DISPATCH_OFF, 0, 0, 0) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Whether programs may change the base of their thread-local memory without the system's help.
pub fn changes_thread_base() -> bool {
    // SAFETY: reads a value that the system gave this process.
    unsafe { libc::getauxval(libc::AT_HWCAP2) & HWCAP2_FSGSBASE != 0 }
}

/// Whether a program can be given the same addresses in every run.
pub fn fixes_addresses() -> io::Result<()> {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("/proc/self/exe");
    let set = || {
        // SAFETY: a system call that changes the child alone, and the child comes no further.
        match unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) } {
            -1 => Err(io::Error::last_os_error()),
            _ => Err(io::Error::from_raw_os_error(WAS_ALLOWED)),
        }
    };
    // SAFETY: the closure makes one system call and allocates nothing.
    unsafe { command.pre_exec(set) };
    match command.spawn() {
        Err(error) if error.raw_os_error() == Some(WAS_ALLOWED) => Ok(()),
        Err(error) => Err(error),
        Ok(_) => Err(io::Error::other("a process was started that should not have been")),
    }
}

/// What the child says if it was allowed; no system call above answers so.
const WAS_ALLOWED: i32 = libc::ENOTNAM;

/// Whether so much address space can be had as the runtime asks for.
pub fn reserves_memory() -> io::Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping, at a place that the system chooses, that nobody uses and that is
    // given back at once.
    unsafe {
        let start = libc::mmap(std::ptr::null_mut(), RESERVED_BYTES, access, flags, -1, 0);
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        libc::munmap(start, RESERVED_BYTES);
    }
    Ok(())
}

/// The first line of what a tool says about its version.
pub fn version(tool: &str) -> io::Result<String> {
    let output = Command::new(tool).arg("--version").output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().next().filter(|_| output.status.success()) {
        Some(line) => Ok(line.trim().to_owned()),
        None => Err(io::Error::other(format!("it ended with {}", output.status))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_changes_nothing() {
        // SAFETY: asks, and changes nothing.
        let personality = || unsafe { libc::personality(0xffff_ffff) };
        let before = personality();
        let _ = (fixes_addresses(), catches_system_calls(), reserves_memory());
        assert_eq!(personality(), before);
    }

    #[test]
    fn a_tool_has_a_version_or_is_not_there() {
        assert!(version("cargo").unwrap().starts_with("cargo "));
        assert_eq!(version("no-such-tool").unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(version("false").is_err());
    }
}
