//! The embedded C library: headers for programs, and C sources on top of the machine's primitives.
//!
//! The sources are written so that they can be compiled one by one or as one file that includes
//! them all: no two of them use the same name at file scope for different things.

/// The headers that programs see, by the name in `#include <…>`.
pub const HEADERS: &[(&str, &str)] = &[
    ("alloca.h", include_str!("../include/alloca.h")),
    ("assert.h", include_str!("../include/assert.h")),
    ("ctype.h", include_str!("../include/ctype.h")),
    ("err.h", include_str!("../include/err.h")),
    ("errno.h", include_str!("../include/errno.h")),
    ("error.h", include_str!("../include/error.h")),
    ("fcntl.h", include_str!("../include/fcntl.h")),
    ("fenv.h", include_str!("../include/fenv.h")),
    ("float.h", include_str!("../include/float.h")),
    ("getopt.h", include_str!("../include/getopt.h")),
    ("inttypes.h", include_str!("../include/inttypes.h")),
    ("iso646.h", include_str!("../include/iso646.h")),
    ("libgen.h", include_str!("../include/libgen.h")),
    ("limits.h", include_str!("../include/limits.h")),
    ("locale.h", include_str!("../include/locale.h")),
    ("malloc.h", include_str!("../include/malloc.h")),
    ("math.h", include_str!("../include/math.h")),
    ("memory.h", include_str!("../include/memory.h")),
    ("pthread.h", include_str!("../include/pthread.h")),
    ("raddle.h", include_str!("../include/raddle.h")),
    ("raddle/cpu_set.h", include_str!("../include/raddle/cpu_set.h")),
    ("raddle/pthread_types.h", include_str!("../include/raddle/pthread_types.h")),
    ("raddle/sigset.h", include_str!("../include/raddle/sigset.h")),
    ("raddle/times.h", include_str!("../include/raddle/times.h")),
    ("sched.h", include_str!("../include/sched.h")),
    ("semaphore.h", include_str!("../include/semaphore.h")),
    ("setjmp.h", include_str!("../include/setjmp.h")),
    ("signal.h", include_str!("../include/signal.h")),
    ("stdalign.h", include_str!("../include/stdalign.h")),
    ("stdarg.h", include_str!("../include/stdarg.h")),
    ("stdatomic.h", include_str!("../include/stdatomic.h")),
    ("stdbool.h", include_str!("../include/stdbool.h")),
    ("stddef.h", include_str!("../include/stddef.h")),
    ("stdint.h", include_str!("../include/stdint.h")),
    ("stdio.h", include_str!("../include/stdio.h")),
    ("stdlib.h", include_str!("../include/stdlib.h")),
    ("stdnoreturn.h", include_str!("../include/stdnoreturn.h")),
    ("string.h", include_str!("../include/string.h")),
    ("strings.h", include_str!("../include/strings.h")),
    ("sys/mman.h", include_str!("../include/sys/mman.h")),
    ("sys/param.h", include_str!("../include/sys/param.h")),
    ("sys/resource.h", include_str!("../include/sys/resource.h")),
    ("sys/stat.h", include_str!("../include/sys/stat.h")),
    ("sys/syscall.h", include_str!("../include/sys/syscall.h")),
    ("sys/time.h", include_str!("../include/sys/time.h")),
    ("sys/types.h", include_str!("../include/sys/types.h")),
    ("sys/wait.h", include_str!("../include/sys/wait.h")),
    ("syscall.h", include_str!("../include/syscall.h")),
    ("threads.h", include_str!("../include/threads.h")),
    ("time.h", include_str!("../include/time.h")),
    ("unistd.h", include_str!("../include/unistd.h")),
    ("wchar.h", include_str!("../include/wchar.h")),
];

/// The headers that only the library's sources see, beside them.
pub const INTERNAL_HEADERS: &[(&str, &str)] = &[
    ("library/internal.h", include_str!("../library/internal.h")),
    ("library/primitives.h", include_str!("../library/primitives.h")),
];

/// The library's sources.
pub const SOURCES: &[(&str, &str)] = &[
    ("library/annotations.c", include_str!("../library/annotations.c")),
    ("library/builtins.c", include_str!("../library/builtins.c")),
    ("library/cancel.c", include_str!("../library/cancel.c")),
    ("library/checkers.c", include_str!("../library/checkers.c")),
    ("library/ctype.c", include_str!("../library/ctype.c")),
    ("library/format.c", include_str!("../library/format.c")),
    ("library/keys.c", include_str!("../library/keys.c")),
    ("library/locks.c", include_str!("../library/locks.c")),
    ("library/math.c", include_str!("../library/math.c")),
    ("library/messages.c", include_str!("../library/messages.c")),
    ("library/pthread.c", include_str!("../library/pthread.c")),
    ("library/refused.c", include_str!("../library/refused.c")),
    ("library/scan.c", include_str!("../library/scan.c")),
    ("library/semaphore.c", include_str!("../library/semaphore.c")),
    ("library/signal.c", include_str!("../library/signal.c")),
    ("library/start.c", include_str!("../library/start.c")),
    ("library/stdio.c", include_str!("../library/stdio.c")),
    ("library/stdlib.c", include_str!("../library/stdlib.c")),
    ("library/string.c", include_str!("../library/string.c")),
    ("library/threads.c", include_str!("../library/threads.c")),
    ("library/time.c", include_str!("../library/time.c")),
    ("library/unistd.c", include_str!("../library/unistd.c")),
    ("library/verifier.c", include_str!("../library/verifier.c")),
];

/// Headers that programs should include: the others are included by these.
const PREFERRED: &[&str] =
    &["stdio.h", "stdlib.h", "string.h", "pthread.h", "semaphore.h", "unistd.h", "threads.h"];

/// The header that declares a function.
pub fn header_of(function: &str) -> Option<&'static str> {
    let declares = |text: &str| {
        text.lines().any(|line| {
            let line = line.trim_start();
            !line.starts_with('#')
                && line.match_indices(function).any(|(at, _)| {
                    let before = line[..at].chars().next_back();
                    at > 0
                        && before.is_some_and(|c| !(c.is_alphanumeric() || c == '_'))
                        && line[at + function.len()..].trim_start().starts_with('(')
                })
        })
    };
    let own = HEADERS.iter().filter(|(name, text)| !name.starts_with("raddle/") && declares(text));
    let found: Vec<&'static str> = own.map(|row| row.0).collect();
    let preferred = found.iter().find(|name| PREFERRED.contains(name));
    preferred.or(found.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a source includes is embedded, too.
    #[test]
    fn includes_are_embedded() {
        let texts = HEADERS.iter().chain(INTERNAL_HEADERS).chain(SOURCES);
        for line in texts.flat_map(|(_, text)| text.lines()) {
            let Some(rest) = line.strip_prefix("#include ") else { continue };
            let name = rest.trim_matches(['<', '>', '"']);
            let found = HEADERS.iter().any(|row| row.0 == name)
                || INTERNAL_HEADERS.iter().any(|row| row.0 == format!("library/{name}"));
            assert!(found, "{line}");
        }
    }

    /// The machine's primitives are not for programs.
    #[test]
    fn headers_do_not_name_primitives() {
        for (name, text) in HEADERS {
            assert!(!text.contains("__raddle_"), "{name}");
        }
    }

    /// Every primitive that is declared for the library exists.
    #[test]
    fn declared_primitives_exist() {
        use crate::ir::{Kind, Nondet, Primitive};
        let declarations = INTERNAL_HEADERS[1].1;
        for part in declarations.split("__raddle_").skip(1) {
            let name = part.split('(').next().expect("split yields at least one part");
            let result = Some(Nondet::Scalar(Kind::I32));
            assert!(Primitive::named(&format!("__raddle_{name}"), result).is_some(), "{name}");
        }
    }
}
