//! Exporting functions under the names that programs call.
//!
//! `hook!` makes a function that passes its caller's address on as one more argument: that is
//! where in the program an event happened. `export!` makes one without that. `real!` is the C
//! library's function of a name, looked up once.

/// `hook!(2, pthread_join => join)`: `pthread_join` has two arguments, `join` has them and the
/// return address.
macro_rules! hook {
    ($($n:tt, $name:ident => $imp:path;)*) => { $(
        #[doc = concat!("See [`", stringify!($imp), "`]; called by programs only.")]
        #[unsafe(naked)]
        #[cfg_attr(raddle_inside, unsafe(no_mangle))]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                concat!("mov ", hook!(@register $n), ", [rsp]"),
                "jmp {imp}",
                imp = sym $imp,
            )
        }
    )* };
    (@register 0) => { "rdi" };
    (@register 1) => { "rsi" };
    (@register 2) => { "rdx" };
    (@register 3) => { "rcx" };
    (@register 4) => { "r8" };
    (@register 5) => { "r9" };
}

/// The same for calls that may be a scheduling point: under control, the registers that belong to the
/// caller are kept ([`ENTRY`](crate::context::ENTRY)), and from where it called.
macro_rules! point_hook {
    ($($n:tt, $name:ident => $imp:path;)*) => { $(
        #[doc = concat!("See [`", stringify!($imp), "`]; called by programs only.")]
        #[unsafe(naked)]
        #[cfg_attr(raddle_inside, unsafe(no_mangle))]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                concat!("mov ", hook!(@register $n), ", [rsp]"),
                "cmp byte ptr [rip + {keeps}], 0",
                "je 2f",
                "mov [rip + {entry}], rbx",
                "mov [rip + {entry} + 8], rbp",
                "mov [rip + {entry} + 16], r12",
                "mov [rip + {entry} + 24], r13",
                "mov [rip + {entry} + 32], r14",
                "mov [rip + {entry} + 40], r15",
                "mov [rip + {entry} + 48], rsp",
                concat!("mov [rip + {called_from}], ", hook!(@register $n)),
                "2:",
                "jmp {imp}",
                keeps = sym $crate::context::KEEPS_ENTRY,
                entry = sym $crate::context::ENTRY,
                called_from = sym $crate::touch::CALLED_FROM,
                imp = sym $imp,
            )
        }
    )* };
}

/// `real!(fn pthread_join(thread: usize, result: *mut Word) -> i32)` calls the C library's.
///
/// The contract of every use: the types are those that the C library declares for the function, and the arguments are
/// what the program passed to a function of the same meaning, or places of this library's own that live until it
/// returns. So the call does what it would do had the program made it.
macro_rules! real {
    (fn $name:ident($($arg:ident : $type:ty),*) -> $ret:ty) => {{
        type Function = unsafe extern "C" fn($($type),*) -> $ret;
        static REAL: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0);
        let mut address = REAL.load(core::sync::atomic::Ordering::Relaxed);
        if address == 0 {
            address = $crate::export::next(concat!(stringify!($name), "\0"));
            REAL.store(address, core::sync::atomic::Ordering::Relaxed);
        }
        // SAFETY: the C library's function of this name has this type.
        let function = unsafe { core::mem::transmute::<usize, Function>(address) };
        // SAFETY: the contract above.
        unsafe { function($($arg),*) }
    }};
}

use core::ffi::{c_char, c_void};

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
}

const NEXT: *mut c_void = usize::MAX as *mut c_void;

/// The function of a name, which ends in a zero, behind this library.
pub fn next(name: &str) -> usize {
    assert!(name.ends_with('\0'), "C needs the end of the name");
    let name_of_c = name.as_ptr().cast();
    let mut address = core::ptr::null_mut();
    // Condition variables have an old form, which is what one gets without asking for a version.
    if name.starts_with("pthread_cond_") {
        // SAFETY: both are strings that end.
        address = unsafe { dlvsym(NEXT, name_of_c, c"GLIBC_2.3.2".as_ptr()) };
    }
    if address.is_null() {
        // SAFETY: a string that ends.
        address = unsafe { dlsym(NEXT, name_of_c) };
    }
    if address.is_null() {
        crate::outcome::internal(format_args!(
            "the C library has no {}",
            name.trim_end_matches('\0')
        ));
    }
    address as usize
}

/// What a name means to the program: the first definition of it that was loaded.
pub fn first(name: &core::ffi::CStr) -> usize {
    // SAFETY: a string that ends.
    unsafe { dlsym(core::ptr::null_mut(), name.as_ptr()) as usize }
}
