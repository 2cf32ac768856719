use super::*;

const DIRECTORY: &str = "/cache";

fn call(family: Family, given: &[&str]) -> Vec<String> {
    let compiler = Compiler { words: vec!["true".into()], family };
    let given: Vec<OsString> = given.iter().map(OsString::from).collect();
    let command = compiler.command(&given, Path::new(DIRECTORY)).unwrap();
    command.get_args().map(|argument| argument.to_str().unwrap().to_owned()).collect()
}

/// Whether the runtime is linked by a call.
#[track_caller]
fn check(given: &str, links: bool) {
    let given: Vec<_> = given.split_whitespace().collect();
    for family in [Family::Gcc, Family::Clang { major: 14 }] {
        let all = call(family, &given);
        assert!(all.ends_with(&given.iter().map(|&word| word.to_owned()).collect::<Vec<_>>()));
        assert_eq!(all.contains(&format!("-L{DIRECTORY}")), links, "{family:?} {all:?}");
        assert!(all.contains(&"-fsanitize=thread".to_owned()), "{family:?} {all:?}");
    }
}

#[test]
fn linking_brings_the_runtime() {
    check("a.o -o a", true);
    check("a.c", true);
    check("-x c -", true);
    check("-shared -o liba.so a.o", true);
    check("-Wl,-v", true);
    check("-include a.h a.c", true);
    check("-Xlinker -r a.o", true);
    check("-o -c a.c", true);
}

#[test]
fn what_does_not_link_brings_none() {
    check("-c a.c", false);
    check("-c -x c -o a.o -", false);
    check("-E a.c", false);
    check("-MM a.c", false);
    check("-r a.o b.o -o c.o", false);
    check("-O2 -Wall", false);
    check("a.h", false);
    check("-x c++-header all -o all.gch", false);
    check("-xc-header all -lm", false);
}

#[test]
fn questions_about_the_compiler_are_passed_on() {
    for question in ["--version", "-print-search-dirs", "-v", "-dumpmachine", "--help=target"] {
        assert_eq!(call(Family::Gcc, &[question]), [question]);
    }
    assert_eq!(call(Family::Gcc, &[]), [""; 0]);
    let frontend = ["-cc1", "-emit-obj", "a.c"];
    assert_eq!(call(Family::Clang { major: 14 }, &frontend), frontend);
}

#[test]
fn without_standard_libraries_the_runtime_is_named() {
    let names = |given: &[&str]| call(Family::Gcc, given).contains(&"-lraddle_runtime".to_owned());
    assert!(names(&["-nostdlib", "a.c"]) && names(&["-nodefaultlibs", "a.c"]));
    assert!(!names(&["a.c"]) && !names(&["-nostdlib", "-c", "a.c"]));
}

#[test]
fn an_old_clang_is_told_not_to_warn_at_all() {
    let silenced = "-Wno-unused-command-line-argument".to_owned();
    assert!(call(Family::Clang { major: 13 }, &["-c", "a.c"]).contains(&silenced));
    assert!(!call(Family::Clang { major: 14 }, &["-c", "a.c"]).contains(&silenced));
}

/// The message that refuses an argument.
fn refusal(arguments: &[&str]) -> Option<String> {
    let compiler = Compiler { words: vec!["true".into()], family: Family::Gcc };
    let given: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    compiler.command(&given, Path::new(DIRECTORY)).err().map(|error| error.to_string())
}

#[test]
fn what_cannot_work_is_refused() {
    for (argument, word) in [
        ("-static", "loaded"),
        ("-static-pie", "loaded"),
        ("-static-libtsan", "loaded"),
        ("-m32", "64-bit"),
        ("--target=aarch64-linux-gnu", "64-bit"),
        ("-fsanitize=address,undefined", "instruments"),
        ("-fsanitize=leak", "instruments"),
    ] {
        let message = refusal(&[argument, "a.c"]).unwrap();
        assert!(message.contains(argument) && message.contains(word), "{message}");
    }
    assert!(refusal(&["-target", "armv7a", "a.c"]).is_some());
}

#[test]
fn what_only_looks_like_that_is_not() {
    for argument in [
        "-static-libgcc",
        "-static-libstdc++",
        "-m64",
        "--target=x86_64-linux-gnu",
        "-fsanitize=thread",
        "-fsanitize=undefined",
        "-fno-sanitize=address",
    ] {
        assert_eq!(refusal(&[argument, "a.c"]), None);
    }
    assert_eq!(refusal(&["-o", "-static", "a.c"]), None);
}

#[test]
fn a_command_has_words_unless_it_is_a_file() {
    assert_eq!(words(OsStr::new(" ccache  gcc ")), ["ccache", "gcc"]);
    assert_eq!(words(OsStr::new("gcc")), ["gcc"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my cc");
    std::os::unix::fs::symlink("/bin/true", &file).unwrap();
    assert_eq!(words(file.as_os_str()), [file.as_os_str()]);
}

#[test]
fn a_compiler_that_is_not_there_or_is_this_program_is_an_error() {
    let gone = Compiler::named(OsStr::new("no-such-compiler")).unwrap_err();
    assert!(matches!(gone, CompilerError::Missing(..)));
    assert!(matches!(Compiler::named(OsStr::new(" ")), Err(CompilerError::Missing(..))));
    let me = std::env::current_exe().unwrap();
    let itself = Compiler::named(me.as_os_str()).unwrap_err();
    assert!(matches!(itself, CompilerError::Itself(_)));
}
