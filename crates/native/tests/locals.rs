//! Variables on stacks are called what they are at the moment of an access, whichever thread makes it.

use std::fs;

use crate::harness::{Compiler, GCC, Workshop, compilers};
use raddle_native::launch::Request;
use raddle_native::recording::{self, Native, Options, Recording};
use raddle_native::symbol::Symbols;
use raddle_native::target::Target;
use raddle_trace::{Trace, check::Mode};

/// What threads do with the address that they are given; `run` waits for one of them.
const START: &str = "
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
struct point { int x, y; };
struct large { long numbers[8]; };
static void *add(void *p) { ++*(int *)p; return p; }
static void *lock(void *p) { pthread_mutex_lock(p); pthread_mutex_unlock(p); return p; }
__attribute__((noinline)) static void run(void *(*start)(void *), void *p)
{
    pthread_t thread;
    pthread_create(&thread, 0, start, p);
    pthread_join(thread, 0);
}
";

/// What a recorded run has names for, sorted.
struct Names {
    variables: Vec<String>,
    locks: Vec<String>,
}

fn record(compiler: Compiler, flags: &[&str], body: &str) -> Names {
    let workshop = Workshop::new();
    let file = workshop.file().with_extension("c");
    fs::write(&file, format!("{START}{body}")).unwrap();
    let target = workshop.build(compiler, &file, flags).unwrap();
    names(&workshop, &target)
}

fn names(workshop: &Workshop, target: &Target) -> Names {
    let path = workshop.file();
    let request = Request { recording: Some(path.clone()), stacks: true, ..Request::default() };
    workshop.run(target, &request).unwrap();
    let recording = Recording::open(&path).unwrap();
    let options = Options::default();
    let Native { events, .. } = recording::read(&recording, &options, &mut Symbols::new()).unwrap();
    let sorted = |names: &raddle_trace::Names| {
        let mut names: Vec<_> = names.iter().map(str::to_owned).collect();
        names.sort_unstable();
        names
    };
    let tables = &events.tables;
    let names = Names { variables: sorted(&tables.variables), locks: sorted(&tables.locks) };
    Trace::new(events, Mode::Strict).unwrap();
    names
}

/// Compares the names of shared variables with those expected, without optimisation, of all compilers.
#[track_caller]
fn check(body: &str, expected: &[&str]) {
    for compiler in compilers() {
        for flags in [["-O0", "-gdwarf-4"], ["-O0", "-gdwarf-5"]] {
            assert_eq!(
                record(compiler, &flags, body).variables,
                expected,
                "{compiler:?} {flags:?}"
            );
        }
    }
}

#[test]
fn a_variable_has_its_function_members_and_elements() {
    let body = "int main(void)
    {
        struct point points[2] = {{1, 2}, {3, 4}};
        int single = 5;
        run(add, &points[1].y);
        run(add, &single);
        return points[1].y + single;
    }";
    for compiler in compilers() {
        let names = record(compiler, &["-O0"], body).variables;
        for name in ["main:points[1].y", "main:single"] {
            assert!(names.contains(&name.to_owned()), "{compiler:?} {names:?}");
        }
    }
}

#[test]
fn parameters_are_variables_also_those_that_the_caller_has_on_its_stack() {
    let body = "static int small(int n) { run(add, &n); return n; }
    static long big(struct large value) { run(add, &value.numbers[3]); return value.numbers[3]; }
    int main(void)
    {
        struct large large = {{0}};
        return small(1) + big(large);
    }";
    for compiler in compilers() {
        let names = record(compiler, &["-O0"], body).variables;
        assert!(names.contains(&"small:n".to_owned()), "{compiler:?} {names:?}");
        let is_member = |name: &String| name.starts_with("big:value.numbers[3]");
        assert!(names.iter().any(is_member), "{compiler:?} {names:?}");
    }
}

#[test]
fn functions_that_use_the_same_memory_have_variables_of_their_own() {
    let body = "static int one(void) { int first = 1; run(add, &first); return first; }
    static int two(void) { int second = 1; run(add, &second); return second; }
    int main(void) { return one() + two() + one(); }";
    check(body, &["one:first", "one:first#2", "two:second"]);
}

#[test]
fn blocks_have_variables_of_their_own() {
    let body = "int main(void)
    {
        { int x = 1; run(add, &x); if (x > 1) { int x = 2; run(add, &x); } }
        return 0;
    }";
    check(body, &["main:x", "main:x#2"]);
}

#[test]
fn a_function_that_was_left_by_a_jump_is_over() {
    let body = "static jmp_buf back;
    static void deep(int n)
    {
        int inner[16];
        inner[n] = n;
        if (n == 3)
            longjmp(back, 1);
        deep(n + 1);
    }
    static int after(void) { int outer[64] = {0}; run(add, &outer[9]); return outer[9]; }
    int main(void)
    {
        if (!setjmp(back))
            deep(0);
        return after();
    }";
    for compiler in compilers() {
        let names = record(compiler, &["-O0"], body).variables;
        assert!(names.contains(&"after:outer[9]".to_owned()), "{compiler:?} {names:?}");
        assert!(names.iter().all(|name| !name.starts_with("deep:")), "{compiler:?} {names:?}");
    }
}

#[test]
fn locks_on_stacks_have_names_unless_two_lie_at_the_same_place() {
    let locks = |body: &str| {
        let all = compilers();
        all.into_iter().map(|compiler| record(compiler, &["-O0"], body).locks).collect::<Vec<_>>()
    };
    let main = "int main(void)
    {
        pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
        run(lock, &guard);
        run(lock, &guard);
        return 0;
    }";
    locks(main).iter().for_each(|locks| assert_eq!(locks, &["main:guard"]));
    let two = "static void one(void)
    { pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER; run(lock, &a); }
    static void two(void)
    { pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER; run(lock, &b); }
    int main(void) { one(); two(); return 0; }";
    for locks in locks(two) {
        assert!(locks.len() == 1 && locks[0].starts_with("stack of main at 0x"), "{locks:?}");
    }
}

#[test]
fn optimised_code_has_names_where_its_frames_have_places() {
    let body = "int main(int argc, char **argv)
    {
        int counts[4] = {argc};
        run(add, &counts[2]);
        return counts[2];
    }";
    for compiler in compilers() {
        for level in ["-O1", "-O2"] {
            for frames in ["-fomit-frame-pointer", "-fno-omit-frame-pointer"] {
                let names = record(compiler, &[level, frames], body).variables;
                let what = format!("{compiler:?} {level} {frames} {names:?}");
                assert!(names.contains(&"main:counts[2]".to_owned()), "{what}");
            }
        }
    }
}

#[test]
fn variables_of_rust_have_names_though_functions_around_them_were_inlined() {
    let source = "use std::sync::atomic::{AtomicU32, Ordering};
    fn main() {
        let count = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 { scope.spawn(|| count.fetch_add(1, Ordering::SeqCst)); }
        });
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }";
    let workshop = Workshop::new();
    let file = workshop.file().with_extension("rs");
    fs::write(&file, source).unwrap();
    let names = names(&workshop, &workshop.build_rust(&file).unwrap()).variables;
    assert!(names.iter().any(|name| name.starts_with("main:count")), "{names:?}");
    assert!(names.iter().all(|name| !name.starts_with("main:count#")), "{names:?}");
}

#[test]
fn without_debug_information_stacks_are_called_after_their_threads() {
    let body = "int main(void) { int x = 1; run(add, &x); return x; }";
    let names = record(GCC, &["-O0", "-g0"], body).variables;
    assert!(names.len() == 1 && names[0].starts_with("stack of main at 0x"), "{names:?}");
}

/// The system's list of what is loaded shows only the first page of variables that are zero at first.
#[test]
fn what_lies_on_no_stack_is_not_called_one() {
    let body = "
    #include <stdlib.h>
    #include <sys/mman.h>
    static char pad[9000];
    static int last;
    static int *early;
    __attribute__((constructor)) static void begin(void) { early = malloc(sizeof *early); }
    int main(void)
    {
        int local = 1;
        int *mapped = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pad[0] = 1;
        run(add, &last);
        run(add, early);
        run(add, mapped);
        run(add, &local);
        return last + *early + *mapped + local;
    }";
    for compiler in compilers() {
        let names = record(compiler, &["-O0"], body).variables;
        let starts = ["heap@file-0.c:21", "last", "main:local", "memory at 0x"];
        assert_eq!(names.len(), starts.len(), "{names:?}");
        assert!(names.iter().zip(starts).all(|(name, start)| name.starts_with(start)), "{names:?}");
    }
}
