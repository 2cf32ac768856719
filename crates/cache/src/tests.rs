use super::*;

fn files() -> Vec<File<'static>> {
    vec![("include/a.h".to_owned(), b"int a;".as_slice()), ("b".to_owned(), b"")]
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_entry_is_unpacked_once_and_named_after_its_content() {
    let cache = tempfile::tempdir().unwrap();
    let below = cache.path().join("not/there/yet");
    let first = unpack(&below, "headers", &files()).unwrap();
    assert_eq!(fs::read(first.join("include/a.h")).unwrap(), b"int a;");
    let written = fs::metadata(first.join("include/a.h")).unwrap().modified().unwrap();
    assert_eq!(unpack(&below, "headers", &files()).unwrap(), first);
    assert_eq!(fs::metadata(first.join("include/a.h")).unwrap().modified().unwrap(), written);
    let mut others = files();
    others[1].1 = b"x";
    assert_ne!(unpack(&below, "headers", &others).unwrap(), first);
    // Nothing else is left there.
    assert_eq!(names(&below).len(), 2, "{:?}", names(&below));
}

#[test]
fn where_a_name_ends_matters() {
    let of = |name: &str, content: &'static [u8]| hash(&[(name.to_owned(), content)]);
    assert_ne!(of("ab", b"c"), of("a", b"bc"));
}

#[test]
fn what_is_damaged_or_gone_is_written_again() {
    let cache = tempfile::tempdir().unwrap();
    let entry = unpack(cache.path(), "headers", &files()).unwrap();
    fs::write(entry.join("include/a.h"), "cut").unwrap();
    fs::remove_file(entry.join("b")).unwrap();
    unpack(cache.path(), "headers", &files()).unwrap();
    assert_eq!(fs::read(entry.join("include/a.h")).unwrap(), b"int a;");
    assert!(entry.join("b").exists());
    fs::remove_dir_all(entry.join("include")).unwrap();
    unpack(cache.path(), "headers", &files()).unwrap();
    assert_eq!(names(&entry), ["CACHEDIR.TAG", "b", "include"]);
}

#[test]
fn many_can_unpack_at_once() {
    let cache = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let entry = unpack(cache.path(), "headers", &files()).unwrap();
                assert_eq!(fs::read(entry.join("include/a.h")).unwrap(), b"int a;");
            });
        }
    });
    assert_eq!(names(cache.path()).len(), 1, "{:?}", names(cache.path()));
}

#[test]
fn names_stay_in_their_folder() {
    let cache = tempfile::tempdir().unwrap();
    for name in ["../x", "/x", "a/../../x"] {
        let result = unpack(cache.path(), "headers", &[(name.to_owned(), b"x")]);
        assert!(matches!(result, Err(CacheError::Write(..))), "{name}");
    }
    assert_eq!(names(cache.path()), [""; 0]);
}

#[test]
fn cleaning_removes_entries_and_nothing_else() {
    let cache = tempfile::tempdir().unwrap();
    let below = cache.path().join("raddle");
    assert_eq!(clean(&below).unwrap(), Removed::default());

    unpack(&below, "headers", &files()).unwrap();
    unpack(&below, "runtime-1.0", &files()).unwrap();
    // A writer was killed.
    fs::create_dir(below.join(".new-x")).unwrap();
    fs::write(below.join(".new-x").join(TAG.0), TAG.1).unwrap();
    fs::write(below.join("thesis.txt"), "years of work").unwrap();
    fs::create_dir(below.join("photos-0123456789abcdef")).unwrap();
    fs::create_dir(below.join("tagged")).unwrap();
    fs::write(below.join("tagged").join(TAG.0), TAG.1).unwrap();
    let removed = clean(&below).unwrap();
    assert_eq!((removed.n("headers"), removed.n("runtime-1.0"), removed.n("runtime")), (1, 1, 0));
    assert!(removed.bytes >= 12, "{removed:?}");
    assert_eq!(names(&below), ["photos-0123456789abcdef", "tagged", "thesis.txt"]);

    for name in ["photos-0123456789abcdef", "tagged"] {
        fs::remove_dir_all(below.join(name)).unwrap();
    }
    fs::remove_file(below.join("thesis.txt")).unwrap();
    unpack(&below, "headers", &files()).unwrap();
    clean(&below).unwrap();
    assert!(!below.exists());
}
