use super::*;
use crate::source::SourceMap;

fn written(name: &str, contents: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    fs::write(&path, contents).unwrap();
    (directory, path)
}

/// The preprocessed text without markers and empty lines.
fn plain(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(str::trim).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(source: &str, options: &Options, headers: &[(&str, &str)], expected: &str) {
    let (_directory, path) = written("a.c", source.as_bytes());
    let text = preprocess(&path, options, headers).unwrap();
    assert_eq!(plain(&text), expected);
    assert!(!text.contains("headers-"), "{text}");
}

#[track_caller]
fn check_error(path: &Path, options: &Options, expected: &str) {
    let error = preprocess(path, options, &[]).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn macros_are_expanded() {
    let defines = vec!["N=3".to_owned(), "M".to_owned()];
    let options = Options { defines, ..Options::default() };
    check("int a = N + M + __RADDLE__;", &options, &[], "int a = 3 + 1 + 1;");
}

#[test]
fn undefined_names_are_not_expanded() {
    let options = Options { undefines: vec!["__linux__".to_owned()], ..Options::default() };
    check("__linux__", &options, &[], "__linux__");
}

#[test]
fn embedded_headers_come_before_the_systems() {
    let stdio = "int mine;\nconst char *f = __FILE__;\n";
    let headers = [("stdio.h", stdio), ("stdio", ""), ("sys/x.h", "int x;")];
    let expected = "int mine;\nconst char *f = \"<stdio.h>\";\nint x;";
    check("#include <stdio.h>\n#include <sys/x.h>\n", &Options::default(), &headers, expected);
}

#[test]
fn positions_in_embedded_headers_are_named_after_them() {
    let (_directory, path) = written("a.c", b"#include <mine.h>\n");
    let text = preprocess(&path, &Options::default(), &[("mine.h", "\nint mine;\n")]).unwrap();
    let at = text.find("mine;").unwrap() as u32;
    let mut map = SourceMap::new();
    map.add("a.c", text).unwrap();
    let location = map.locate(at);
    assert_eq!((&*location.file, location.line), ("<mine.h>", 2));
}

#[test]
fn system_headers_can_be_left_out() {
    let (_directory, path) = written("a.c", b"#include <stdio.h>\n");
    let options = Options { system_headers: false, ..Options::default() };
    check_error(&path, &options, "stdio.h: No such file");
}

#[test]
fn the_data_model_decides_the_macros() {
    let source = "#include <stdint.h>\n#undef i386\n__SIZEOF_POINTER__ __SIZE_TYPE__ __LONG_MAX__\n\
                  INT64_MAX";
    let last = |model| {
        let (_directory, path) = written("a.c", source.as_bytes());
        let text = preprocess(&path, &Options { model, ..Options::default() }, &[]).unwrap();
        plain(&text).lines().rev().take(2).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(last(DataModel::Ilp32), "(9223372036854775807LL) 4 unsigned int 0x7fffffffL");
    assert_eq!(
        last(DataModel::Lp64),
        "(9223372036854775807L) 8 long unsigned int 0x7fffffffffffffffL"
    );
}

#[test]
fn preprocessed_files_are_read_as_they_are() {
    let (_directory, path) = written("a.i", b"# 1 \"b.c\"\nN");
    assert_eq!(preprocess(&path, &Options::default(), &[]).unwrap(), "# 1 \"b.c\"\nN");
}

#[test]
fn empty_files_are_empty() {
    check("", &Options::default(), &[], "");
}

#[test]
fn what_cannot_be_read_is_named() {
    let (directory, path) = written("a.c", b"#error no way\n");
    check_error(&path, &Options::default(), "#error no way");
    check_error(&path.with_extension("cc"), &Options::default(), "No such file");
    check_error(directory.path(), &Options::default(), "it is a directory");
    let options = Options { compiler: "no-such-compiler".to_owned(), ..Options::default() };
    check_error(&path, &options, "cannot run the C compiler 'no-such-compiler'");
    let (_directory, path) = written("b.c", b"int a;\nchar *s = \"\xff\";\n");
    check_error(&path, &Options::default(), "it is not UTF-8");
}

#[test]
fn names_that_look_like_options_are_files() {
    assert_eq!(operand(Path::new("-o")), OsString::from("./-o"));
    assert_eq!(operand(Path::new("a.c")), OsString::from("a.c"));
}

#[test]
fn header_names_stay_in_their_directory() {
    let (_directory, path) = written("a.c", b"");
    let error = preprocess(&path, &Options::default(), &[("../x.h", "")]).unwrap_err();
    assert!(error.to_string().contains("include/../x.h"), "{error}");
}
