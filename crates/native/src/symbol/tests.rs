//! Small programs, compiled here, and what their addresses mean.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use object::{Object, ObjectSymbol};

use super::Symbols;

const LOAD: u64 = 0x5555_0000_0000;

const SOURCE: &str = "\
struct account { int number; long balance; struct { char kind; } tag; };
struct account accounts[4];
static volatile int matrix[2][3];
union { int whole; char parts[4]; } either;
typedef const volatile long shown;
shown constant = 7;
int table[];
int table[5] = {1};

static inline int twice(int x) {
    matrix[1][2] += x;
    return x * 2;
}

int count(int by) {
    static int total;
    total += by;
    return twice(total);
}
";

/// A compiled source, loaded at [`LOAD`].
struct Built {
    _folder: tempfile::TempDir,
    path: PathBuf,
    symbols: Symbols,
}

fn build(name: &str, source: &str, arguments: &[&str]) -> Built {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("built.so");
    fs::write(folder.path().join(name), source).unwrap();
    let mut command = Command::new(if name.ends_with(".cc") { "c++" } else { "cc" });
    command.args(["-shared", "-fPIC", "-o", "built.so", name]).args(arguments);
    assert!(command.current_dir(folder.path()).status().unwrap().success());
    let mut symbols = Symbols::new();
    symbols.directory = Some(fs::canonicalize(folder.path()).unwrap());
    symbols.add(LOAD, LOAD + 0x10_0000, &path);
    Built { _folder: folder, path, symbols }
}

impl Built {
    /// The address of a symbol in memory.
    #[track_caller]
    fn address(&self, name: &str) -> u64 {
        let bytes = fs::read(&self.path).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        let symbol = file.symbols().find(|s| s.name().is_ok_and(|n| n.starts_with(name))).unwrap();
        LOAD + symbol.address()
    }

    #[track_caller]
    fn check(&self, symbol: &str, offset: u64, size: u64, expected: &str) {
        let name = self.symbols.data(self.address(symbol) + offset, size);
        assert_eq!(name.as_deref(), Some(expected));
    }
}

#[test]
fn variables_have_their_members_and_elements() {
    let built = build("bank.c", SOURCE, &["-g", "-O1"]);
    built.check("accounts", 0, 4, "accounts[0].number");
    built.check("accounts", 24 + 8, 8, "accounts[1].balance");
    built.check("accounts", 48 + 16, 1, "accounts[2].tag.kind");
    built.check("accounts", 24, 16, "accounts[1]");
    built.check("accounts", 10, 1, "accounts[0].balance+2");
    built.check("accounts", 20, 8, "accounts+20");
    built.check("accounts", 24, 48, "accounts[1..3]");
    built.check("accounts", 0, 96, "accounts");
    built.check("matrix", 4 * 5, 4, "matrix[1][2]");
    built.check("matrix", 12, 12, "matrix[1]");
    built.check("matrix", 16, 8, "matrix[1][1..3]");
    built.check("matrix", 8, 8, "matrix+8");
    built.check("either", 0, 4, "either.whole");
    built.check("constant", 0, 8, "constant");
    built.check("table", 16, 4, "table[4]");
    built.check("total.0", 0, 4, "count::total");
}

#[test]
fn newer_and_older_debug_information_say_the_same() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let built = build("bank.c", SOURCE, &[version, "-O1"]);
        built.check("accounts", 24 + 8, 8, "accounts[1].balance");
    }
}

#[test]
fn without_debug_information_symbols_serve() {
    let built = build("bank.c", SOURCE, &["-O1"]);
    built.check("accounts", 0, 4, "accounts");
    built.check("accounts", 32, 8, "accounts+32");
    assert_eq!(built.symbols.data(LOAD + 1, 1), None);
}

#[test]
fn what_nobody_can_write_is_constant() {
    let built = build("bank.c", &format!("{SOURCE}const int fixed[2] = {{1, 2}};"), &["-O1"]);
    assert!(built.symbols.is_constant(built.address("fixed")));
    assert!(!built.symbols.is_constant(built.address("table")));
    assert!(!built.symbols.is_constant(LOAD + 0x20_0000));
}

#[test]
fn a_return_address_is_the_line_of_its_call_with_inlined_functions() {
    let mut built = build("bank.c", SOURCE, &["-g", "-O1"]);
    let (start, end) = (built.address("count"), built.address("count") + 200);
    let mut texts = Vec::new();
    let mut inlined = None;
    for pc in start + 1..end {
        let Some(place) = built.symbols.place(pc) else { continue };
        texts.extend(place.text());
        if place.frames.len() == 2 {
            inlined = Some(place);
        }
    }
    assert!(texts.iter().any(|text| text == "bank.c:17"), "{texts:?}");
    let inlined = inlined.unwrap();
    let functions: Vec<_> = inlined.frames.iter().map(|f| f.function.as_deref()).collect();
    assert_eq!(functions, [Some("twice"), Some("count")]);
    assert_eq!(inlined.frames[1].location().as_deref(), Some("bank.c:18"));
    assert_eq!(built.symbols.function(start).as_deref(), Some("count"));
}

#[test]
fn a_program_that_is_never_moved_has_the_addresses_of_its_file() {
    let main = format!("{SOURCE}int main(void) {{ return count(1); }}");
    let mut built = build("bank.c", &main, &["-g", "-O1"]);
    let fixed = built.path.with_file_name("fixed");
    let mut command = Command::new("cc");
    command.args(["-g", "-O1", "-no-pie", "-fno-pie", "-o", "fixed", "bank.c"]);
    assert!(command.current_dir(built.path.parent().unwrap()).status().unwrap().success());
    built.path = fixed;
    let address = built.address("matrix") - LOAD;
    let mut symbols = Symbols::new();
    symbols.add(0x40_0000, 0x50_0000, &built.path);
    assert_eq!(symbols.data(address + 4, 4).as_deref(), Some("matrix[0][1]"));
}

#[test]
fn code_without_lines_is_named_after_its_function() {
    let mut built = build("bank.c", SOURCE, &["-O1"]);
    let start = built.address("count");
    let place = built.symbols.place(start + 1).unwrap();
    assert_eq!(place.text().as_deref(), Some("count (built.so)"));
    assert_eq!(built.symbols.place(LOAD + 0x20_0000), None);
}

#[test]
fn names_of_cpp_are_demangled_and_scoped() {
    const SOURCE: &str = "\
#include <mutex>
namespace bank {
struct Base { int first; };
struct Vault : Base { static int keys; int second; std::mutex lock; };
int Vault::keys = 3;
Vault vault;
__attribute__((noinline)) int open(int x) { return vault.second += x; }
}
";
    let built = build("bank.cc", SOURCE, &["-g", "-O1"]);
    built.check("_ZN4bank5vaultE", 0, 4, "bank::vault.first");
    built.check("_ZN4bank5vaultE", 4, 4, "bank::vault.second");
    let lock = built.symbols.object(built.address("_ZN4bank5vaultE") + 8);
    assert_eq!(lock.as_deref(), Some("bank::vault.lock"));
    let function = built.symbols.function(built.address("_ZN4bank4openEi"));
    assert_eq!(function.as_deref(), Some("bank::open(int)"));
    built.check("_ZN4bank5Vault4keysE", 0, 4, "bank::Vault::keys");
}

#[test]
fn files_that_are_gone_or_broken_have_no_symbols() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken");
    fs::write(&broken, b"\x7fELF and then nothing").unwrap();
    let mut symbols = Symbols::new();
    symbols.add(0x1000, 0x2000, &broken);
    symbols.add(0x3000, 0x4000, &folder.path().join("gone"));
    for address in [0x1800, 0x3800] {
        assert_eq!(symbols.place(address), None);
        assert_eq!(symbols.data(address, 4), None);
    }
}
