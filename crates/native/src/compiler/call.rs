//! Calls: what the arguments of a compiler ask for, as far as it matters here.

use std::ffi::OsString;

use super::CompilerError;

/// How far a compiler goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// It answers a question about itself.
    Ask,
    /// It stops before linking.
    Translate,
    /// It links.
    Link,
}

/// What a call asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Call {
    /// How far the compiler goes.
    pub(super) stage: Stage,
    /// It links no library that is not named.
    pub(super) is_bare: bool,
    /// It checks for undefined behaviour, which needs a library.
    pub(super) checks_behaviour: bool,
}

/// Options whose value may be the next argument.
const WITH_VALUE: [&str; 37] = [
    "-o",
    "-x",
    "-I",
    "-L",
    "-D",
    "-U",
    "-F",
    "-T",
    "-u",
    "-z",
    "-e",
    "-A",
    "-B",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-isysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xassembler",
    "-target",
    "--target",
    "-Xpreprocessor",
    "-Xclang",
    "-mllvm",
    "-include-pch",
    "-aux-info",
    "--param",
    "-wrapper",
    "-dumpbase",
    "-dumpdir",
];

/// Options that end the work before a linker is called.
const STOPS: [&str; 14] = [
    "-c",
    "-S",
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "-r",
    "--compile",
    "--assemble",
    "--preprocess",
    "--dependencies",
    "--user-dependencies",
    "--analyze",
    "--precompile",
];

/// Sanitizers that need the same hooks, or the same memory.
const RIVALS: [&str; 10] = [
    "address",
    "kernel-address",
    "hwaddress",
    "kernel-hwaddress",
    "pointer-compare",
    "pointer-subtract",
    "leak",
    "memory",
    "kernel-memory",
    "dataflow",
];

/// Names of files that are compiled in advance for others to include.
const HEADERS: [&str; 8] = ["h", "H", "hh", "hp", "hxx", "hpp", "HPP", "h++"];

impl Call {
    /// Reads the arguments; refuses what cannot work.
    pub(super) fn read(arguments: &[OsString]) -> Result<Call, CompilerError> {
        let mut reader = Reader::default();
        let texts: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
        // `-cc1`: Clang's own frontend, whose options are others.
        let is_frontend = texts.first().is_some_and(|first| first.starts_with("-cc1"));
        if is_frontend || texts.iter().all(|text| is_question(text)) {
            return Ok(Call { stage: Stage::Ask, is_bare: false, checks_behaviour: false });
        }
        let mut at = 0;
        while at < texts.len() {
            let text = &*texts[at];
            refuse(text, texts.get(at + 1).map(|next| &**next))
                .map_err(|error| error(arguments[at].clone()))?;
            let takes_next = WITH_VALUE.contains(&text);
            reader.look(text, texts.get(at + 1).filter(|_| takes_next).map(|next| &**next));
            at += if takes_next { 2 } else { 1 };
        }
        Ok(reader.call())
    }
}

/// What is known of a call so far.
#[derive(Default)]
struct Reader {
    stops: bool,
    has_header: bool,
    has_other_input: bool,
    talks_to_linker: bool,
    /// `-x` says that files are headers.
    in_headers: bool,
    is_bare: bool,
    checks_behaviour: bool,
}

impl Reader {
    fn look(&mut self, text: &str, value: Option<&str>) {
        if let Some(language) = text.strip_prefix("-x") {
            self.in_headers = value.unwrap_or(language).ends_with("-header");
        }
        self.stops |= STOPS.contains(&text);
        self.is_bare |= ["-nostdlib", "-nodefaultlibs", "--no-standard-libraries"].contains(&text);
        if let Some(list) = text.strip_prefix("-fsanitize=") {
            self.checks_behaviour |= list.split(',').any(|name| name != "thread");
        }
        if ["-Wl,", "-l", "-Xlinker"].iter().any(|start| text.starts_with(start)) {
            self.talks_to_linker = true;
        } else if text == "-" || !text.starts_with('-') {
            let suffix = text.rsplit_once('.').map_or("", |(_, suffix)| suffix);
            let is_header = self.in_headers || HEADERS.contains(&suffix);
            self.has_header |= is_header;
            self.has_other_input |= !is_header;
        }
    }

    fn call(&self) -> Call {
        // A header alone is compiled in advance.
        let has_input = self.has_other_input || (self.talks_to_linker && !self.has_header);
        Call {
            stage: if has_input && !self.stops { Stage::Link } else { Stage::Translate },
            is_bare: self.is_bare,
            checks_behaviour: self.checks_behaviour,
        }
    }
}

/// Asking a compiler about itself is not compiling.
fn is_question(text: &str) -> bool {
    let starts = ["-print", "--print", "-dump", "--help", "-Q"];
    starts.iter().any(|start| text.starts_with(start))
        || ["--version", "-v", "-V", "-###", "--target-help", "-qversion"].contains(&text)
}

/// Why an argument cannot be obeyed, if so.
fn refuse(text: &str, next: Option<&str>) -> Result<(), fn(OsString) -> CompilerError> {
    if ["-static", "--static", "-static-pie", "-Wl,-static", "-static-libtsan"].contains(&text) {
        return Err(CompilerError::Static);
    }
    let machine = match text {
        "-target" | "--target" => next,
        _ => text.strip_prefix("--target="),
    };
    let is_foreign = machine.is_some_and(|name| !name.starts_with("x86_64"));
    if is_foreign || ["-m32", "-mx32", "-m16"].contains(&text) {
        return Err(CompilerError::Machine);
    }
    match text.strip_prefix("-fsanitize=") {
        Some(list) if list.split(',').any(|name| RIVALS.contains(&name)) => {
            Err(CompilerError::Conflict)
        }
        _ => Ok(()),
    }
}
