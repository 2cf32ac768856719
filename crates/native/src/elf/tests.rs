//! Programs that are built here in all the ways that matter.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::*;

const SOURCE: &str = "\
#include <pthread.h>
int x;
static void *f(void *p) { x++; return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_tryjoin_np(t, 0);
    return x == 7 && pthread_self();
}
";

fn build(folder: &tempfile::TempDir, name: &str, arguments: &[&str]) -> PathBuf {
    fs::write(folder.path().join("a.c"), SOURCE).unwrap();
    // A stand-in for the runtime, to link with.
    fs::write(folder.path().join("r.c"), "void __tsan_init(void) {}").unwrap();
    let mut runtime = Command::new("cc");
    let soname = format!("-Wl,-soname,{RUNTIME}");
    runtime.args(["-shared", "-fPIC", "-o", RUNTIME, "r.c", &soname]);
    assert!(runtime.current_dir(folder.path()).status().unwrap().success());
    let mut command = Command::new("cc");
    command.args(["-D_GNU_SOURCE", "-o", name]).args(arguments).current_dir(folder.path());
    assert!(command.status().unwrap().success());
    folder.path().join(name)
}

#[test]
fn gccs_own_flag_makes_an_instrumented_program() {
    let folder = tempfile::tempdir().unwrap();
    let program = build(&folder, "a", &["-fsanitize=thread", "a.c"]);
    let facts = look(&program, &["pthread_create".to_owned()]).unwrap();
    assert!(facts.instrumented);
    assert_eq!(facts.linkage, Linkage::First);
    assert_eq!(facts.unknown_sync, ["pthread_tryjoin_np"]);
    facts.admit(false).unwrap();
}

#[test]
fn who_may_wait_shows_by_what_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let waits = |name: &str, arguments: &[&str]| {
        look(&build(&folder, name, arguments), &[]).unwrap().may_wait
    };
    assert!(!waits("a", &["a.c"]));
    let waiting =
        "int pthread_cond_wait(void *, void *); int w(void) { return pthread_cond_wait(0, 0); }";
    fs::write(folder.path().join("w.c"), waiting).unwrap();
    assert!(waits("b", &["a.c", "w.c"]));
    // What a library does that is not known is not known.
    fs::write(folder.path().join("l.c"), "void l(void) {}").unwrap();
    let mut library = Command::new("cc");
    library.args(["-shared", "-fPIC", "-o", "libl.so", "l.c"]).current_dir(folder.path());
    assert!(library.status().unwrap().success());
    assert!(waits("c", &["a.c", "-Wl,--no-as-needed", "./libl.so"]));
}

#[test]
fn functions_that_the_runtime_knows_are_no_news() {
    let folder = tempfile::tempdir().unwrap();
    let program = build(&folder, "a", &["a.c"]);
    let unknown = |interposed: &[&str]| {
        let names: Vec<_> = interposed.iter().map(|&name| name.to_owned()).collect();
        look(&program, &names).unwrap().unknown_sync
    };
    assert_eq!(unknown(&["pthread_create", "pthread_tryjoin_np"]), [""; 0]);
    assert_eq!(unknown(&[]), ["pthread_create", "pthread_tryjoin_np"]);
}

#[test]
fn a_plain_program_needs_the_preload() {
    let folder = tempfile::tempdir().unwrap();
    let facts = look(&build(&folder, "a", &["a.c"]), &[]).unwrap();
    assert_eq!((facts.instrumented, &facts.linkage), (false, &Linkage::Absent));
    assert!(matches!(facts.admit(false), Err(ElfError::Uninstrumented { .. })));
    facts.admit(true).unwrap();
}

#[test]
fn the_runtime_comes_before_the_c_library_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    build(&folder, "a.o", &["-fsanitize=thread", "-c", "a.c"]);
    let linked = |libraries: &[&str]| {
        let ignore = "-Wl,--unresolved-symbols=ignore-all";
        let fixed = ["a.o", "-L.", ignore, "-Wl,--no-as-needed"];
        let arguments: Vec<_> = fixed.iter().chain(libraries).copied().collect();
        look(&build(&folder, "a", &arguments), &[]).unwrap()
    };
    let first = linked(&["-lraddle_runtime", "-lc"]);
    assert_eq!(first.linkage, Linkage::First);
    first.admit(false).unwrap();
    let behind = linked(&["-lc", "-lraddle_runtime"]);
    assert!(matches!(behind.admit(false), Err(ElfError::Behind { .. })));
    behind.admit(true).unwrap();
    // Another library has the functions that the instrumentation calls.
    build(&folder, "libother.so", &["-shared", "-fPIC", "r.c"]);
    let absent = linked(&["-lother", "-lc"]);
    assert!(matches!(absent.admit(false), Err(ElfError::NotLinked { .. })));
}

#[test]
fn static_programs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for flag in ["-static", "-static-pie"] {
        let program = build(&folder, "a", &[flag, "a.c"]);
        assert!(matches!(look(&program, &[]), Err(ElfError::Static { .. })), "{flag}");
    }
}

#[test]
fn a_runtime_that_is_linked_in_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let program = build(&folder, "a", &["-fsanitize=thread", "-static-libtsan", "a.c"]);
    let refused = look(&program, &[]).unwrap_err();
    assert!(matches!(refused, ElfError::StaticSanitizer { .. }), "{refused}");
}

#[test]
fn other_files_are_named_for_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let written = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        look(&path, &[]).unwrap_err()
    };
    assert!(matches!(written("script", b"#!/bin/sh\n"), ElfError::Script { .. }));
    assert!(matches!(written("text", b"hello"), ElfError::NotElf { .. }));
    assert!(matches!(written("cut", b"\x7fELF\x02\x01\x01"), ElfError::NotElf { .. }));
    let object = build(&folder, "a.o", &["-c", "a.c"]);
    assert!(matches!(look(&object, &[]), Err(ElfError::NotAProgram { .. })));
    let mut arm = fs::read(build(&folder, "a", &["a.c"])).unwrap();
    arm[18] = 183;
    assert!(matches!(written("arm", &arm), ElfError::Architecture { .. }));
    let mut small = arm.clone();
    small[4] = 1;
    assert!(matches!(written("small", &small), ElfError::Architecture { .. }));
    assert!(matches!(look(&folder.path().join("gone"), &[]), Err(ElfError::Read { .. })));
}
