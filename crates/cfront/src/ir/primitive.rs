//! Primitives: what the machine does for the embedded library.
//!
//! The library is C (`library/*.c`) on top of these; it declares them in `library/primitives.h`
//! under the names of the table below. A program cannot name them: identifiers with this prefix
//! are reserved. Functions that can fail return an error number (0 for success), as POSIX
//! functions do. Times are in nanoseconds of virtual time.

use super::Kind;

/// A floating-point function of one or two arguments (the second one in the second list).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are C's")]
#[repr(u8)]
pub enum Math {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sqrt,
    Cbrt,
    Floor,
    Ceil,
    Trunc,
    Round,
    Rint,
    Pow,
    Atan2,
    Fmod,
    Remainder,
    Hypot,
}

/// The type of a nondeterministic value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Nondet {
    /// `_Bool`: 0 or 1.
    Bool,
    /// Any other scalar.
    Scalar(Kind),
}

macro_rules! primitives {
    ($($(#[$doc:meta])* $variant:ident = $name:literal ($n:literal),)*) => {
        /// What the machine is asked for.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Primitive {
            $($(#[$doc])* $variant,)*
            /// `__raddle_math_NAME(x)` or `(x, y)`: `double` in, `double` out.
            Math(Math),
            /// `__raddle_nondet_TYPE()`: any value, as the run's settings and choices say.
            Nondet(Nondet),
        }

        impl Primitive {
            const TABLE: &[(&'static str, Primitive, usize)] =
                &[$(($name, Primitive::$variant, $n),)*];
        }
    };
}

primitives! {
    /// `void *(size_t, size_t alignment)`: a new object of so many uninitialised bytes; null if the
    /// limit is reached.
    Malloc = "malloc" (2),
    /// `void (void *)`: frees an object; traps unless it is the start of a live heap object.
    Free = "free" (1),
    /// `size_t (void *)`: the size of a live heap object.
    HeapSize = "heap_size" (1),
    /// `void (int status)`: ends the run at once.
    Exit = "exit" (1),
    /// `void (void)`: ends the run as a crash.
    Abort = "abort" (0),
    /// `void (const char *expression, const char *file, unsigned line, const char *function)`:
    /// ends the run as a failed assertion.
    AssertFail = "assert_fail" (4),
    /// `void (void)`: ends the run as an error that the program says must not be reached.
    ReachError = "reach_error" (0),
    /// `void (const char *message)`: ends the run as a misuse of the library.
    Misuse = "misuse" (1),
    /// `void (const char *function)`: ends the run because a function, or a use of it, is not
    /// supported.
    Unsupported = "unsupported" (1),
    /// `void (int condition)`: runs in which the condition is false are not looked at.
    Assume = "assume" (1),
    /// `void (void)`: until the matching end, no other thread moves, unless this one blocks.
    AtomicBegin = "atomic_begin" (0),
    /// `void (void)`
    AtomicEnd = "atomic_end" (0),

    /// `void (const char *name)`: what follows, up to the matching end, is meant to be atomic. It
    /// changes nothing in the run; the analyses look for accesses of others in between.
    TransactionBegin = "transaction_begin" (1),
    /// `void (void)`
    TransactionEnd = "transaction_end" (0),

    /// `long (int fd, const void *, size_t)`: output on 1 or 2; returns the number of bytes.
    Write = "write" (3),
    /// `long (int fd, void *, size_t)`: input from 0; returns the number of bytes, 0 at its end.
    Read = "read" (3),
    /// `int (char *out, size_t room, double, int conversion, int precision, int flags)`: the
    /// digits of `%e %f %g %a` and their capitals without width and padding; a negative precision
    /// is the default one; flags: 1 `#`, 2 `+`, 4 space. Returns the length, writes at most
    /// `room` bytes, no terminating zero.
    FormatDouble = "format_double" (6),
    /// `double (const char *, char **end)`: `strtod`; `end` may be null.
    ParseDouble = "parse_double" (2),

    /// `unsigned long (void *(*)(void *), void *, int detached)`: a new thread that has not
    /// started; 0 if there are too many. It runs the program's `thread_start` with the function
    /// and the argument.
    ThreadNew = "thread_new" (3),
    /// `void (unsigned long)`: starts it.
    ThreadStart = "thread_start" (1),
    /// `int (unsigned long, void **result)`: waits for its end; `result` may be null. ESRCH for no
    /// such thread (also one that was joined), EINVAL if detached or another thread joins it,
    /// EDEADLK for itself.
    ThreadJoin = "thread_join" (2),
    /// `int (unsigned long, void **result)`: as join, but EBUSY if the thread still runs.
    ThreadTryJoin = "thread_try_join" (2),
    /// `int (unsigned long, void **result, long long deadline)`: as join, or ETIMEDOUT.
    ThreadTimedJoin = "thread_timed_join" (3),
    /// `void (void *)`: ends this thread; the last one to end ends the program with status 0.
    ThreadExit = "thread_exit" (1),
    /// `int (unsigned long)`: no thread will join it. ESRCH, or EINVAL if it is detached already.
    ThreadDetach = "thread_detach" (1),
    /// `unsigned long (void)`: 1 for the first thread, 2 for the first that it makes, …
    ThreadSelf = "thread_self" (0),
    /// `void (void)`: others may go on first.
    Yield = "yield" (0),
    /// `void (long long)`: a yield that also moves this thread's idea of time.
    Sleep = "sleep" (1),
    /// `long long (void)`: virtual nanoseconds since the start of the run.
    Now = "now" (0),

    /// `int (void *mutex, int kind)`: kinds are 0 normal, 1 recursive, 2 error checking.
    /// A mutex that was never initialised by a call is a normal one if its bytes are zero; its
    /// kind is the `int` at offset 16 (12 with 4-byte pointers).
    MutexInit = "mutex_init" (2),
    /// `int (void *)`: traps if it is held or waited for.
    MutexDestroy = "mutex_destroy" (1),
    /// `int (void *)`: EDEADLK if error checking and held by this thread.
    MutexLock = "mutex_lock" (1),
    /// `int (void *)`: EBUSY.
    MutexTryLock = "mutex_try_lock" (1),
    /// `int (void *, long long deadline)`: ETIMEDOUT.
    MutexTimedLock = "mutex_timed_lock" (2),
    /// `int (void *)`: EPERM if error checking or recursive and not held by this thread; traps
    /// if a normal one is not.
    MutexUnlock = "mutex_unlock" (1),
    /// `int (void *)`
    CondInit = "cond_init" (1),
    /// `int (void *)`: traps if a thread waits.
    CondDestroy = "cond_destroy" (1),
    /// `int (void *cond, void *mutex)`: EPERM, or a trap for a normal mutex, if it is not held.
    CondWait = "cond_wait" (2),
    /// `int (void *cond, void *mutex, long long deadline)`: ETIMEDOUT.
    CondTimedWait = "cond_timed_wait" (3),
    /// `int (void *)`
    CondSignal = "cond_signal" (1),
    /// `int (void *)`
    CondBroadcast = "cond_broadcast" (1),
    /// `int (void *, int kind)`, as `pthread_rwlockattr_setkind_np` numbers them.
    RwlockInit = "rwlock_init" (2),
    /// `int (void *)`: traps if it is held.
    RwlockDestroy = "rwlock_destroy" (1),
    /// `int (void *)`: EDEADLK if this thread holds it for writing.
    RwlockRead = "rwlock_read" (1),
    /// `int (void *)`: EBUSY.
    RwlockTryRead = "rwlock_try_read" (1),
    /// `int (void *, long long deadline)`: ETIMEDOUT.
    RwlockTimedRead = "rwlock_timed_read" (2),
    /// `int (void *)`: EDEADLK if this thread holds it for writing.
    RwlockWrite = "rwlock_write" (1),
    /// `int (void *)`: EBUSY.
    RwlockTryWrite = "rwlock_try_write" (1),
    /// `int (void *, long long deadline)`: ETIMEDOUT.
    RwlockTimedWrite = "rwlock_timed_write" (2),
    /// `int (void *)`: traps if this thread does not hold it.
    RwlockUnlock = "rwlock_unlock" (1),
    /// `int (void *)`
    SpinInit = "spin_init" (1),
    /// `int (void *)`: traps if it is held.
    SpinDestroy = "spin_destroy" (1),
    /// `int (void *)`
    SpinLock = "spin_lock" (1),
    /// `int (void *)`: EBUSY.
    SpinTryLock = "spin_try_lock" (1),
    /// `int (void *)`: traps if this thread does not hold it.
    SpinUnlock = "spin_unlock" (1),
    /// `int (void *, unsigned count)`: EINVAL for zero.
    BarrierInit = "barrier_init" (2),
    /// `int (void *)`: traps if a thread waits.
    BarrierDestroy = "barrier_destroy" (1),
    /// `int (void *)`: -1 (`PTHREAD_BARRIER_SERIAL_THREAD`) for the last to arrive, else 0.
    BarrierWait = "barrier_wait" (1),
    /// `int (void *, unsigned value)`: EINVAL if above `SEM_VALUE_MAX`.
    SemInit = "sem_init" (2),
    /// `int (void *)`: traps if a thread waits.
    SemDestroy = "sem_destroy" (1),
    /// `int (void *)`
    SemWait = "sem_wait" (1),
    /// `int (void *)`: EAGAIN.
    SemTryWait = "sem_try_wait" (1),
    /// `int (void *, long long deadline)`: ETIMEDOUT.
    SemTimedWait = "sem_timed_wait" (2),
    /// `int (void *)`: EOVERFLOW.
    SemPost = "sem_post" (1),
    /// `int (void *)`: the value.
    SemValue = "sem_value" (1),
    /// `int (void *)`: 1 if the caller is the first and must run the function; 0, after waiting
    /// for its end, if not.
    OnceBegin = "once_begin" (1),
    /// `void (void *)`: the function has run.
    OnceEnd = "once_end" (1),
}

const MATH: &[(&str, Math)] = &[
    ("sin", Math::Sin),
    ("cos", Math::Cos),
    ("tan", Math::Tan),
    ("asin", Math::Asin),
    ("acos", Math::Acos),
    ("atan", Math::Atan),
    ("sinh", Math::Sinh),
    ("cosh", Math::Cosh),
    ("tanh", Math::Tanh),
    ("asinh", Math::Asinh),
    ("acosh", Math::Acosh),
    ("atanh", Math::Atanh),
    ("exp", Math::Exp),
    ("exp2", Math::Exp2),
    ("expm1", Math::Expm1),
    ("log", Math::Log),
    ("log2", Math::Log2),
    ("log10", Math::Log10),
    ("log1p", Math::Log1p),
    ("sqrt", Math::Sqrt),
    ("cbrt", Math::Cbrt),
    ("floor", Math::Floor),
    ("ceil", Math::Ceil),
    ("trunc", Math::Trunc),
    ("round", Math::Round),
    ("rint", Math::Rint),
    ("pow", Math::Pow),
    ("atan2", Math::Atan2),
    ("fmod", Math::Fmod),
    ("remainder", Math::Remainder),
    ("hypot", Math::Hypot),
];

impl Primitive {
    /// The prefix of the names under which the library declares primitives.
    pub const PREFIX: &'static str = "__raddle_";

    /// The primitive with this name, prefix included; the kind of a nondeterministic value is
    /// that of the result that the function is declared with.
    pub fn named(name: &str, result: Option<Nondet>) -> Option<Primitive> {
        let name = name.strip_prefix(Self::PREFIX)?;
        if let Some(function) = name.strip_prefix("math_") {
            let found = MATH.iter().find(|(name, _)| *name == function);
            return found.map(|&(_, math)| Primitive::Math(math));
        }
        if name.starts_with("nondet_") {
            return result.map(Primitive::Nondet);
        }
        Self::TABLE.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// Its name without the prefix.
    pub fn name(self) -> &'static str {
        match self {
            Primitive::Math(math) => {
                MATH.iter().find(|row| row.1 == math).expect("every function has a row").0
            }
            Primitive::Nondet(_) => "nondet",
            other => Self::TABLE.iter().find(|row| row.1 == other).expect("made from rows").0,
        }
    }

    /// How many arguments it takes.
    pub fn n_arguments(self) -> usize {
        match self {
            Primitive::Math(Math::Pow | Math::Atan2 | Math::Fmod) => 2,
            Primitive::Math(Math::Remainder | Math::Hypot) => 2,
            Primitive::Math(_) => 1,
            Primitive::Nondet(_) => 0,
            other => Self::TABLE.iter().find(|row| row.1 == other).expect("made from rows").2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_primitives() {
        for &(name, primitive, n) in Primitive::TABLE {
            assert_eq!(Primitive::named(&format!("__raddle_{name}"), None), Some(primitive));
            assert_eq!((primitive.name(), primitive.n_arguments()), (name, n));
        }
        assert_eq!(Primitive::named("malloc", None), None);
        assert_eq!(Primitive::named("__raddle_math_pow", None), Some(Primitive::Math(Math::Pow)));
    }
}
